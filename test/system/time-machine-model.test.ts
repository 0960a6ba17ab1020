import assert from "node:assert/strict";
import { test } from "node:test";
import { refOf } from "@realmwatch/shared/model/object-key";
import type { Row } from "@realmwatch/shared/model/row";
import { memoryHistory } from "@realmwatch/shared/read-model/history/memory-history";
import { type MemoryReadModel, memoryReadModel } from "@realmwatch/shared/read-model/memory-read-model";
import fc from "fast-check";
import { type ScriptedCommand, anyCommandScript, runScript } from "./random-commands.ts";
import { openRecordedRealm, type RecordedRealm, recordedRefs, queryRows } from "./recorded-realm.ts";

/** What the time machine promises of a row; without what is undefined, as the journal keeps it. */
const promised = (row: Row): unknown => JSON.parse(JSON.stringify(partsOf(row)));
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

/** The same rows with a history in memory, as an aggregator without Redis has it. */
async function mirrorOf({ model, journal }: RecordedRealm): Promise<MemoryReadModel> {
  const history = memoryHistory({ maxRecords: 100_000, findSubject: () => undefined });
  history.add((await journal.historyAfter(0, 100_000)).map((record) => ({ ...record, realm: "fra" })));
  const mirror = memoryReadModel({ generation: "2", history });
  mirror.apply((await queryRows(model)).map((row) => ({ kind: "put", row: { ...row, realm: "fra" } })));
  return mirror;
}

/** More objects than are looked up one by one: records are found by their types instead. */
const crowd = new Set([...recordedRefs, ...Array.from({ length: 600 }, (_, n) => `other${n}`)]);

async function evidenceOf({ journal }: RecordedRealm, atMs: number, among: ReadonlySet<string>) {
  const found = await journal.pastRecords({ atMs, realm: "fra", refs: among });
  if (!found.ok) assert.fail(JSON.stringify(found.error));
  const nothing = { before: [], downtimes: [], nextState: undefined, later: [] };
  return recordedRefs.map((ref) => ({ ...nothing, ...found.value.of("", ref) }));
}

/** Lives a story, and asks about each of its instants afterwards. */
async function answersAsItWas(story: readonly ScriptedCommand[]): Promise<void> {
  const realm = await openRecordedRealm();
  try {
    const seen: Seen[] = [];
    await runScript(realm, story, async () => {
      seen.push({ atMs: realm.clock.now(), rows: (await queryRows(realm.model)).map(promised) });
    });
    const mirror = await mirrorOf(realm);
    for (const { atMs, rows } of seen) {
      assert.deepEqual((await queryRows(realm.model, { atMs })).map(promised), rows, `${new Date(atMs).toISOString()}`);
      assert.deepEqual((await queryRows(mirror, { atMs })).map(promised), rows, "mirror");
      const few = await evidenceOf(realm, atMs, new Set(recordedRefs));
      assert.deepEqual(await evidenceOf(realm, atMs, crowd), few, "the journal, asked for many");
    }
  } finally {
    await realm.close();
  }
}

test("[TM2] the answer about an instant is what was answered at that instant", { timeout: 120_000 }, async () => {
  await fc.assert(fc.asyncProperty(anyCommandScript, answersAsItWas), { numRuns: 6, endOnFailure: true });
});

const deed = (ticks: number, kind: string, what = 0): ScriptedCommand => ({ ticks, kind, ref: "web1", what });
/** In effect for 9 ticks, 2 ticks after it is scheduled or at once; what begins and ends meanwhile has no records. */
const [fixed, fixedNow] = [deed(1, "downtime", 6), deed(1, "downtime", 20)];
/** Waits for a problem from half a tick after it is scheduled, for 7 ticks. */
const flexible = deed(1, "downtime", 25);
const [critical, recovery, longAfter] = [deed(1, "result", 1), deed(1, "result", 0), deed(20, "comment")];

const silentStarts: readonly (readonly [what: string, story: readonly ScriptedCommand[]])[] = [
  ["with the first problem, like another one", [recovery, flexible, flexible, deed(3, "result", 1), longAfter]],
  ["with the problem that was there", [critical, fixed, deed(3, "downtime", 25), longAfter]],
  ["with a problem that is over", [recovery, fixedNow, flexible, critical, recovery, longAfter]],
  [
    "with an earlier problem than the one that lasts",
    [recovery, fixedNow, flexible, critical, recovery, critical, critical, longAfter],
  ],
  ["with a problem of no length", [recovery, fixedNow, flexible, deed(2, "blip"), longAfter]],
];
for (const [what, story] of silentStarts)
  test(`[TM2] a flexible downtime of whose start nobody was told began ${what}`, () => answersAsItWas(story));

test("[TM2] what flapped until its detection was switched off is told to have flapped", async () => {
  const unsteady = Array.from({ length: 12 }, (_, n) => deed(1, "result", n % 2));
  await answersAsItWas([...unsteady, deed(2, "toggle", 3), deed(2, "toggle", 7)]);
});
