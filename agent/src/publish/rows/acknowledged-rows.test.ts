import assert from "node:assert/strict";
import { test } from "node:test";
import type { RowChange } from "@realmwatch/shared/model/row";
import { rowDigestTerm } from "@realmwatch/shared/platform/row-digest";
import { rowFor } from "@realmwatch/shared/read-model/read-model.fixture";
import { objectToken } from "@realmwatch/shared/wire/nats/nats-subjects";
import fc from "fast-check";
import { AcknowledgedRows, type RowMessageNumber } from "./acknowledged-rows.ts";

const host = (name: string) => ({ kind: "host", name }) as const;
const put = (name: string, epoch: number, revision: number): RowChange => ({
  kind: "put",
  row: rowFor("", name, { epoch, revision }),
});
const drop = (name: string, epoch: number, revision: number): RowChange => ({
  ...{ kind: "drop", realm: "", key: host(name), epoch, revision },
});

test("the digest of acknowledged rows is that of the contract's example", () => {
  const rows = new AcknowledgedRows();
  rows.startEpoch(1795000000000);
  rows.settle(rows.nextNumber(), put("web1", 1795000000000, 1));
  assert.deepEqual(rows.set, { published: 1, rows: 1, digest: 0x9a0fc986697d929an, revision: 1 });
  rows.settle(rows.nextNumber(), drop("web1", 1795000000000, 2));
  assert.deepEqual(rows.set, { published: 2, rows: 0, digest: 0n, revision: 2 });
});

test("the set covers the messages up to the first one that is in flight; a failed one settles without effect", () => {
  const rows = new AcknowledgedRows();
  rows.startEpoch(7);
  const [first, second, third] = [rows.nextNumber(), rows.nextNumber(), rows.nextNumber()];
  rows.settle(third, put("c", 7, 3));
  rows.settle(second, put("b", 7, 2));
  assert.deepEqual(rows.set, { published: 0, rows: 0, digest: 0n, revision: 0 });
  rows.settle(first, undefined);
  assert.deepEqual([rows.set.published, rows.set.rows, rows.set.revision], [3, 2, 3]);
});

type Message = { readonly number: RowMessageNumber; readonly change: RowChange; outcome?: "stored" | "failed" };

/** Recomputes the set from all messages ever sent: the last stored one of each object counts. */
function expectedSet(messages: readonly Message[], epoch: number) {
  const current = messages.filter(({ number }) => number.epoch === epoch);
  const inFlight = current.find(({ outcome }) => outcome === undefined);
  const published = inFlight === undefined ? current.length : inFlight.number.number - 1;
  const live = new Map<string, RowChange>();
  let revision = 0;
  for (const { number, change, outcome } of messages) {
    if (outcome !== "stored" || (number.epoch === epoch && number.number > published)) continue;
    const key = change.kind === "put" ? change.row.about.key : change.key;
    if (change.kind === "put") live.set(objectToken(key), change);
    else live.delete(objectToken(key));
    revision = Math.max(revision, change.kind === "put" ? change.row.revision : change.revision);
  }
  let digest = 0n;
  for (const [token, change] of live)
    if (change.kind === "put") digest ^= rowDigestTerm(token, change.row.epoch, change.row.revision);
  return { published, rows: live.size, digest, revision };
}

const names = ["a", "b", "c", "d", "e"] as const;
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("send" as const), name: fc.constantFrom(...names) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("remove" as const), name: fc.constantFrom(...names) }) },
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant("settle" as const), pick: fc.nat(), stored: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("renew" as const) }) },
);

test("after any sends, acknowledgements out of order, failures, removals and new epochs the set is the recomputed one", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const rows = new AcknowledgedRows();
      const messages: Message[] = [];
      let epoch = 1;
      let revision = 0;
      rows.startEpoch(epoch);
      const flying = (): Message[] => messages.filter(({ outcome }) => outcome === undefined);
      const isFlying = (name: string): boolean =>
        flying().some(({ change }) => (change.kind === "put" ? change.row.about.key : change.key).name === name);
      for (const s of steps) {
        if (s.do === "renew") rows.startEpoch(++epoch);
        else if (s.do === "settle") {
          const message = flying()[s.pick % Math.max(1, flying().length)];
          if (message === undefined) continue;
          message.outcome = s.stored ? "stored" : "failed";
          rows.settle(message.number, s.stored ? message.change : undefined);
        } else if (!isFlying(s.name)) {
          const change = (s.do === "send" ? put : drop)(s.name, epoch, ++revision);
          messages.push({ number: rows.nextNumber(), change });
        }
        assert.deepEqual(rows.set, expectedSet(messages, epoch));
      }
    }),
    { numRuns: 300 },
  );
});
