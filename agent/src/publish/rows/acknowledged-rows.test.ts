import assert from "node:assert/strict";
import { test } from "node:test";
import { rowDigestTerm } from "@realmwatch/shared/platform/row-digest";
import { rowFor } from "@realmwatch/shared/read-model/read-model.fixture";
import type { RowChange } from "@realmwatch/shared/row/row";
import { objectToken } from "@realmwatch/shared/wire/nats/nats-subjects";
import fc from "fast-check";
import { AcknowledgedRows, type RowMessageNumber, type SettledChange } from "./acknowledged-rows.ts";

const host = (name: string) => ({ kind: "host", name }) as const;
const put = (name: string, epoch: number, revision: number): RowChange => ({
  kind: "put",
  row: rowFor("", name, { epoch, revision }),
});
const drop = (name: string, epoch: number, revision: number): RowChange => ({
  ...{ kind: "drop", realm: "", key: host(name), epoch, revision },
});

const stored = (change: RowChange): SettledChange => ({ kind: "stored", change });
const none = { rows: 0, digest: 0n };

test("the digest of acknowledged rows is that of the contract's example", () => {
  const rows = new AcknowledgedRows();
  rows.startEpoch(1795000000000);
  rows.settle(rows.nextNumber(), stored(put("web1", 1795000000000, 1)));
  const web1 = { rows: 1, digest: 0x9a0fc986697d929an };
  assert.deepEqual(rows.set, { published: 1, stored: web1, claimed: web1, revision: 1 });
  rows.settle(rows.nextNumber(), stored(drop("web1", 1795000000000, 2)));
  assert.deepEqual(rows.set, { published: 2, stored: none, claimed: none, revision: 2 });
});

test("the set covers the messages up to the first one that is in flight; a failed one settles without effect", () => {
  const rows = new AcknowledgedRows();
  rows.startEpoch(7);
  const [first, second, third] = [rows.nextNumber(), rows.nextNumber(), rows.nextNumber()];
  rows.settle(third, stored(put("c", 7, 3)));
  rows.settle(second, stored(put("b", 7, 2)));
  assert.deepEqual(rows.set, { published: 0, stored: none, claimed: none, revision: 0 });
  rows.settle(first, undefined);
  assert.deepEqual([rows.set.published, rows.set.stored.rows, rows.set.revision], [3, 2, 3]);
});

type Message = {
  readonly number: RowMessageNumber;
  readonly change: RowChange;
  outcome?: "stored" | "refused" | "failed";
};

/** Recomputes the set from all messages ever sent: the last stored, or settled, one of each object counts. */
function expectedSet(messages: readonly Message[], epoch: number) {
  const current = messages.filter(({ number }) => number.epoch === epoch);
  const inFlight = current.find(({ outcome }) => outcome === undefined);
  const published = inFlight === undefined ? current.length : inFlight.number.number - 1;
  const live = { stored: new Map<string, RowChange>(), claimed: new Map<string, RowChange>() };
  let revision = 0;
  for (const { number, change, outcome } of messages) {
    const isSettled = outcome === "stored" || outcome === "refused";
    if (!isSettled || (number.epoch === epoch && number.number > published)) continue;
    live.claimed.set(objectToken(keyOf(change)), change);
    if (outcome === "refused") continue;
    live.stored.set(objectToken(keyOf(change)), change);
    revision = Math.max(revision, change.kind === "put" ? change.row.revision : change.revision);
  }
  return { published, stored: digestOf(live.stored), claimed: digestOf(live.claimed), revision };
}

const keyOf = (change: RowChange) => (change.kind === "put" ? change.row.about.key : change.key);

function digestOf(live: ReadonlyMap<string, RowChange>) {
  let [rows, digest] = [0, 0n];
  for (const [token, change] of live)
    if (change.kind === "put") {
      rows += 1;
      digest ^= rowDigestTerm(token, change.row.epoch, change.row.revision);
    }
  return { rows, digest };
}

const names = ["a", "b", "c", "d", "e"] as const;
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("send" as const), name: fc.constantFrom(...names) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("remove" as const), name: fc.constantFrom(...names) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("settle" as const),
      pick: fc.nat(),
      outcome: fc.constantFrom("stored" as const, "refused" as const, "failed" as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("renew" as const) }) },
);

test("[FD70] after any sends, acknowledgements out of order, refusals, failures, removals and new epochs the set is the recomputed one", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const rows = new AcknowledgedRows();
      const messages: Message[] = [];
      let epoch = 1;
      let revision = 0;
      rows.startEpoch(epoch);
      const flying = (): Message[] => messages.filter(({ outcome }) => outcome === undefined);
      const isFlying = (name: string): boolean => flying().some(({ change }) => keyOf(change).name === name);
      for (const s of steps) {
        if (s.do === "renew") rows.startEpoch(++epoch);
        else if (s.do === "settle") {
          const message = flying()[s.pick % Math.max(1, flying().length)];
          if (message === undefined) continue;
          const { number, change } = message;
          message.outcome = s.outcome;
          rows.settle(number, s.outcome === "failed" ? undefined : { kind: s.outcome, change });
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
