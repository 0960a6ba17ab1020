import assert from "node:assert/strict";
import { test } from "node:test";
import { refOf } from "@realmwatch/shared/model/object-key";
import { memoryHistory } from "@realmwatch/shared/read-model/history/memory-history";
import { type MemoryReadModel, memoryReadModel } from "@realmwatch/shared/read-model/memory-read-model";
import type { Row } from "@realmwatch/shared/row/row";
import fc from "fast-check";
import { anyCommandScript, runScript, type ScriptedCommand } from "./random-commands.ts";
import { openRecordedRealm, queryRows, type RecordedRealm, recordedRefs } from "./recorded-realm.ts";

/** Fields of a row that the time machine restores; without undefined ones, as in the journal. */
const restored = (row: Row): unknown => JSON.parse(JSON.stringify(partsOf(row)));
const partsOf = (row: Row) => ({
  ref: refOf(row.about.key),
  status: row.status,
  stateType: row.stateType,
  attempt: row.attempt,
  output: row.output,
  lastHardStatus: row.lastHardStatus,
  lastChangeAtMs: row.lastChangeAtMs,
  lastHardChangeAtMs: row.lastHardChangeAtMs,
  flapping: row.flapping,
  acknowledgement: row.acknowledgement,
  downtimes: row.downtimes.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  inDowntime: row.inDowntime,
  comments: row.comments,
  toggles: row.toggles,
  suppressedBy: row.suppressedBy,
  handled: row.handled,
});

type Seen = { readonly atMs: number; readonly rows: readonly unknown[] };

/** Read model with the same rows and a history in memory, like an aggregator without Redis. */
async function mirrorOf({ model, journal }: RecordedRealm): Promise<MemoryReadModel> {
  const history = memoryHistory({ maxRecords: 100_000, findSubject: () => undefined });
  history.add((await journal.historyAfter(0, 100_000)).map((record) => ({ ...record, realm: "fra" })));
  const mirror = memoryReadModel({ generation: "2", history });
  mirror.apply((await queryRows(model)).map((row) => ({ kind: "put", row: { ...row, realm: "fra" } })));
  return mirror;
}

/** More objects than are queried one by one: records are then found by type. */
const manyRefs = new Set([...recordedRefs, ...Array.from({ length: 600 }, (_, n) => `other${n}`)]);

async function evidenceOf({ journal }: RecordedRealm, atMs: number, among: ReadonlySet<string>) {
  const found = await journal.pastRecords({ atMs, realm: "fra", refs: among });
  if (!found.ok) assert.fail(JSON.stringify(found.error));
  const nothing = { before: [], downtimes: [], nextState: undefined, later: [] };
  return recordedRefs.map((ref) => ({ ...nothing, ...found.value.of("", ref) }));
}

/** Runs a script, and asserts that queries about each past tick return the rows of that time. */
async function assertPastRows(script: readonly ScriptedCommand[]): Promise<void> {
  const realm = await openRecordedRealm();
  try {
    const seen: Seen[] = [];
    await runScript(realm, script, async () => {
      seen.push({ atMs: realm.clock.now(), rows: (await queryRows(realm.model)).map(restored) });
    });
    const mirror = await mirrorOf(realm);
    for (const { atMs, rows } of seen) {
      assert.deepEqual((await queryRows(realm.model, { atMs })).map(restored), rows, `${new Date(atMs).toISOString()}`);
      assert.deepEqual((await queryRows(mirror, { atMs })).map(restored), rows, "mirror");
      const few = await evidenceOf(realm, atMs, new Set(recordedRefs));
      assert.deepEqual(await evidenceOf(realm, atMs, manyRefs), few, "the journal, queried for many");
    }
  } finally {
    await realm.close();
  }
}

test("[TM1, TM2] a query about a past time returns the rows of that time", { timeout: 120_000 }, async () => {
  await fc.assert(fc.asyncProperty(anyCommandScript, assertPastRows), { numRuns: 6, endOnFailure: true });
});

const scripted = (ticks: number, kind: string, variant = 0): ScriptedCommand => ({ ticks, kind, ref: "web1", variant });
/** In effect for 9 ticks, 2 ticks after it is scheduled or at once; the starts and ends of others meanwhile have no records. */
const [fixed, fixedNow] = [scripted(1, "downtime", 6), scripted(1, "downtime", 20)];
/** Waits for a problem from half a tick after it is scheduled on, for 7 ticks. */
const flexible = scripted(1, "downtime", 25);
const [critical, recovery, longAfter] = [scripted(1, "result", 1), scripted(1, "result", 0), scripted(20, "comment")];

const unrecordedStarts: readonly (readonly [when: string, script: readonly ScriptedCommand[]])[] = [
  ["with the first problem, like another one", [recovery, flexible, flexible, scripted(3, "result", 1), longAfter]],
  ["with the existing problem", [critical, fixed, scripted(3, "downtime", 25), longAfter]],
  ["with a problem that has ended", [recovery, fixedNow, flexible, critical, recovery, longAfter]],
  [
    "with an earlier problem than the open one",
    [recovery, fixedNow, flexible, critical, recovery, critical, critical, longAfter],
  ],
  ["with a problem of no length", [recovery, fixedNow, flexible, scripted(2, "blip"), longAfter]],
];
for (const [when, script] of unrecordedStarts)
  test(`[TM1] a flexible downtime whose start has no record began ${when}`, () => assertPastRows(script));

test("[TM2] an object that flapped until its detection was switched off is flapping until then", async () => {
  const flappingResults = Array.from({ length: 12 }, (_, n) => scripted(1, "result", n % 2));
  await assertPastRows([...flappingResults, scripted(2, "toggle", 3), scripted(2, "toggle", 7)]);
});
