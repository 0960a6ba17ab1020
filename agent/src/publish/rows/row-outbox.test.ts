import assert from "node:assert/strict";
import { test } from "node:test";
import { rowFor } from "@realmwatch/shared/read-model/read-model.fixture";
import type { RowChange } from "@realmwatch/shared/row/row";
import fc from "fast-check";
import { coalesceMs, RowOutbox } from "./row-outbox.ts";

const drop = (name: string, revision: number): RowChange => ({
  kind: "drop",
  realm: "",
  key: { kind: "host", name },
  epoch: 1,
  revision,
});
const put = (name: string, revision: number): RowChange => ({
  kind: "put",
  row: rowFor("", name, { epoch: 1, revision }),
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

test("[FD54] the age of the oldest late change counts from when it was due until it is acknowledged", () => {
  const outbox = new RowOutbox();
  assert.equal(outbox.lateMs(1_000), 0);
  outbox.put(drop("a", 1), true, 1_000);
  outbox.put(drop("b", 1), true, 3_000);
  assert.equal(outbox.lateMs(6_000), 5_000);
  const [a, b] = [outbox.next(6_000), outbox.next(6_000)];
  assert.ok(a && b);
  assert.equal(outbox.lateMs(6_000), 5_000, "in flight");
  outbox.put(drop("a", 2), true, 7_000);
  outbox.settle(a, false, 8_000);
  assert.equal(outbox.lateMs(8_000), 7_000, "a newer change does not end the age of one that was not stored");
  outbox.settle(b, true, 8_000);
  const again = outbox.next(8_000);
  assert.ok(again);
  outbox.settle(again, true, 9_000);
  assert.equal(outbox.lateMs(20_000), 0);
  outbox.put(drop("c", 1), false, 20_000);
  const c = outbox.next(20_000);
  assert.ok(c);
  outbox.put(drop("c", 2), false, 20_100);
  outbox.settle(c, true, 20_200);
  assert.equal(outbox.lateMs(29_000), 0, "a change that waits for its turn is not late");
  assert.equal(outbox.lateMs(32_000), 2_000);
  outbox.startEpoch(2);
});

test("[FD54] a new epoch does not end the age of a change that was not stored", () => {
  const outbox = new RowOutbox();
  for (const [at, name] of ["a", "b", "c"].entries()) outbox.put(put(name, 1), true, 1_000 + at);
  const a = outbox.next(1_500);
  assert.ok(a);
  outbox.startEpoch(2);
  assert.equal(outbox.size, 1, "the others wait until all rows are put again");
  assert.equal(outbox.lateMs(9_000), 8_000);
  outbox.settle(a, true, 9_000);
  outbox.startEpoch(3);
  for (const name of ["b", "c"]) outbox.put(put(name, 3), true, 10_000);
  const [b, c] = [outbox.next(10_000), outbox.next(10_000)];
  assert.ok(b && c);
  assert.equal(outbox.lateMs(11_500), 10_000, "sent again, and not stored");
  outbox.settle(b, true, 11_500);
  assert.equal(outbox.lateMs(11_500), 10_000);
  outbox.settle(c, true, 11_500);
  assert.deepEqual([outbox.lateMs(30_000), outbox.size], [0, 0]);
});

test("[FD54] in any sequence of events only an acknowledgement lowers the age, and nothing late remains at the end", () => {
  const name = fc.constantFrom("a", "b", "c");
  const step = fc.oneof(
    fc.record({ do: fc.constant("put" as const), name, urgent: fc.boolean() }),
    fc.record({ do: fc.constant("drop" as const), name }),
    fc.record({ do: fc.constant("settle" as const), ok: fc.boolean() }),
    fc.record({ do: fc.constant("take" as const) }),
    fc.record({ do: fc.constant("epoch" as const) }),
    // All rows are put again some time after the new epoch, unless another one has begun.
    fc.record({ do: fc.constant("again" as const) }),
    fc.record({ do: fc.constant("wait" as const), ms: fc.integer({ min: 0, max: 7_000 }) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const outbox = new RowOutbox();
      const live = new Set<string>();
      const flying: RowChange[] = [];
      let [nowMs, revision, sinceMs] = [0, 0, Number.POSITIVE_INFINITY];
      const take = (): void => {
        for (let next = outbox.next(nowMs); next; next = outbox.next(nowMs)) flying.push(next);
      };
      const settle = (ok: boolean): void => {
        const change = flying.shift();
        if (change !== undefined) outbox.settle(change, ok, nowMs);
        if (ok) sinceMs = Number.POSITIVE_INFINITY;
      };
      const putAgain = (): void => {
        for (const one of live) outbox.put(put(one, revision), true, nowMs);
      };
      for (const s of steps) {
        if (s.do === "put") {
          live.add(s.name);
          outbox.put(put(s.name, ++revision), s.urgent, nowMs);
        } else if (s.do === "drop" && live.delete(s.name)) outbox.put(drop(s.name, ++revision), true, nowMs);
        else if (s.do === "settle") settle(s.ok);
        else if (s.do === "take") take();
        else if (s.do === "epoch") outbox.startEpoch(++revision);
        else if (s.do === "again") putAgain();
        else if (s.do === "wait") nowMs += s.ms;
        const lateMs = outbox.lateMs(nowMs);
        assert.ok(sinceMs === Number.POSITIVE_INFINITY || nowMs - lateMs <= sinceMs, `${s.do}: late since ${sinceMs}`);
        if (lateMs > 0) sinceMs = nowMs - lateMs;
      }
      putAgain();
      while (outbox.size > 0) {
        nowMs += coalesceMs;
        take();
        while (flying.length > 0) settle(true);
      }
      assert.equal(outbox.lateMs(nowMs + 60_000), 0);
    }),
    { numRuns: 500 },
  );
});
