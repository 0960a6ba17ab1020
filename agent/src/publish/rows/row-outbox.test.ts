import assert from "node:assert/strict";
import { test } from "node:test";
import type { RowChange } from "@realmwatch/shared/model/row";
import fc from "fast-check";
import { coalesceMs, RowOutbox } from "./row-outbox.ts";

const drop = (name: string, revision: number): RowChange => ({
  kind: "drop",
  realm: "",
  key: { kind: "host", name },
  epoch: 1,
  revision,
});
const revisionOf = (change: RowChange | undefined): number | undefined =>
  change?.kind === "drop" ? change.revision : change?.row.revision;

test("an urgent change is sent at once, others at most once in ten seconds, only the newest of each object", () => {
  const outbox = new RowOutbox();
  outbox.put(drop("a", 1), false, 1_000);
  const first = outbox.next(1_000);
  assert.equal(revisionOf(first), 1);
  outbox.put(drop("a", 2), false, 1_100);
  assert.equal(outbox.next(1_100), undefined, "the first one is not acknowledged");
  assert.ok(first);
  outbox.settle(first, true, 1_200);
  outbox.put(drop("a", 3), false, 1_300);
  assert.equal(outbox.next(1_000 + coalesceMs - 1), undefined);
  assert.equal(outbox.nextDueMs, 1_000 + coalesceMs);
  assert.equal(revisionOf(outbox.next(1_000 + coalesceMs)), 3);

  outbox.put(drop("b", 1), true, 20_000);
  const b = outbox.next(20_000);
  assert.ok(b);
  outbox.put(drop("b", 2), false, 20_001);
  outbox.put(drop("b", 3), true, 20_002);
  outbox.put(drop("b", 4), false, 20_003);
  outbox.settle(b, true, 20_004);
  assert.equal(revisionOf(outbox.next(20_004)), 4, "a change that replaces an urgent one is urgent");
});

test("a change that failed is sent again, unless a newer one is pending", () => {
  const outbox = new RowOutbox();
  outbox.put(drop("a", 1), true, 0);
  const sent = outbox.next(0);
  assert.ok(sent);
  outbox.settle(sent, false, 1);
  const again = outbox.next(1);
  assert.equal(revisionOf(again), 1);
  assert.ok(again);
  outbox.put(drop("a", 2), true, 2);
  outbox.settle(again, false, 3);
  assert.equal(revisionOf(outbox.next(3)), 2);
  assert.equal(outbox.next(3), undefined);
});

test("in any sequence of events the changes of an object arrive in order, and not faster than allowed", () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant("put" as const), name: fc.constantFrom("a", "b", "c"), urgent: fc.boolean() }),
    fc.record({ do: fc.constant("settle" as const), ok: fc.boolean() }),
    fc.record({ do: fc.constant("wait" as const), ms: fc.integer({ min: 0, max: 7_000 }) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const outbox = new RowOutbox();
      const last = new Map<string, number>();
      const arrived = new Map<string, number>();
      const flying: RowChange[] = [];
      let nowMs = 0;
      let revision = 0;
      const take = (): void => {
        for (let next = outbox.next(nowMs); next; next = outbox.next(nowMs)) flying.push(next);
      };
      const settle = (ok: boolean): void => {
        const change = flying.shift();
        if (change?.kind !== "drop") return;
        if (ok) {
          assert.ok(change.revision > (arrived.get(change.key.name) ?? 0), "order");
          arrived.set(change.key.name, change.revision);
        }
        outbox.settle(change, ok, nowMs);
      };
      for (const s of steps) {
        if (s.do === "put") {
          outbox.put(drop(s.name, ++revision), s.urgent, nowMs);
          last.set(s.name, revision);
        } else if (s.do === "settle") settle(s.ok);
        else nowMs += s.ms;
        take();
        assert.ok(outbox.size <= 3, "each object is counted once");
      }
      while (outbox.size > 0) {
        nowMs += coalesceMs;
        take();
        while (flying.length > 0) settle(true);
      }
      assert.deepEqual(arrived, last);
    }),
  );
});
