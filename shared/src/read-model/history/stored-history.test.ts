import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { HistoryRecord } from "../../model/history.ts";
import {
  heldSinceMs,
  historyFloor,
  historyRunsOf,
  mergeHistoryRuns,
  missingHistoryRecords,
  mostHistoryRuns,
} from "./stored-history.ts";

const record = (seq: number): HistoryRecord => ({ realm: "eu", seq, atMs: seq * 10, type: "config" });
const runsOf = (...seqs: number[]) => historyRunsOf(seqs.map(record));
const namesOf = (runs: ReturnType<typeof runsOf>): string =>
  runs.map(({ from, fromAtMs, to, toAtMs }) => `${from}@${fromAtMs}-${to}@${toAtMs}`).join(" ");

test("[FD76] runs are the same for any order and repetition of the records", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 40 })), fc.nat(40), (seqs, cut) => {
      const merged = mergeHistoryRuns(runsOf(...seqs.slice(0, cut)), runsOf(...seqs.slice(cut)));
      assert.deepEqual(merged, runsOf(...[...new Set(seqs)].sort((a, b) => b - a)));
      const numbers = merged.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, at) => from + at));
      assert.deepEqual(
        numbers,
        [...new Set(seqs)].sort((a, b) => a - b),
      );
    }),
  );
});

test("[FD76] a record stands for the missing ones, with the last number of them and the time of the next record", () => {
  assert.deepEqual(
    missingHistoryRecords("eu", runsOf(1, 3, 7)).map(({ seq, atMs, comment }) => [seq, atMs, comment]),
    [
      [2, 30, "history record 2 is missing"],
      [6, 70, "history records 4 to 6 are missing"],
    ],
  );
});

test("[FD76] of many runs the newest are kept, so that older records count as not stored", () => {
  const runs = runsOf(...Array.from({ length: 150 }, (_, at) => 2 * at + 1));
  assert.equal(runs.length, mostHistoryRuns);
  assert.equal(namesOf(runs.slice(-1)), "299@2990-299@2990");
  assert.equal(historyFloor("eu", { runs, trimmed: undefined }, 1)?.seq, 100);
});

test("[FD77] records may be missing up to the trimmed one, or before the first stored one", () => {
  const trimmed = { realm: "eu", atMs: 50, seq: 5 };
  const floor = (seqs: readonly number[], firstSeq: number, isTrimmed = false) =>
    historyFloor("eu", { runs: runsOf(...seqs), trimmed: isTrimmed ? trimmed : undefined }, firstSeq);
  assert.equal(floor([1, 2], 1), undefined);
  assert.equal(floor([4, 5], 4), undefined, "the realm has no older ones");
  assert.deepEqual(floor([4, 5], 1), { realm: "eu", atMs: 40, seq: 3 });
  assert.deepEqual(floor([1, 2, 3, 4, 5, 6], 1, true), trimmed);
  assert.equal(floor([1, 2, 3, 4, 5, 6], 6, true), undefined);
  assert.deepEqual(floor([7, 8], 1, true), { realm: "eu", atMs: 70, seq: 6 });
  assert.equal(floor([], 1), undefined);
});

test("[FD77] records are held since the last one that is missing", () => {
  assert.equal(heldSinceMs({ runs: runsOf(4, 5), trimmed: undefined }), 40);
  assert.equal(heldSinceMs({ runs: runsOf(1, 2, 5, 6), trimmed: undefined }), 50);
  assert.equal(heldSinceMs({ runs: runsOf(1, 2, 3), trimmed: { realm: "eu", atMs: 20, seq: 2 } }), 21);
  assert.equal(heldSinceMs({ runs: [], trimmed: undefined }), undefined);
});
