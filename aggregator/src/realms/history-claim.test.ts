import assert from "node:assert/strict";
import { test } from "node:test";
import type { HistoryRecord } from "@realmwatch/shared/model/history";
import { historyRunsOf } from "@realmwatch/shared/read-model/history/stored-history";
import { allHistory } from "@realmwatch/shared/read-model/read-model.fixture";
import { joinHistoryPages, mayBeInPage, missingHistory, missingRecordsIn } from "./history-page.ts";

const record = (seq: number, more: Partial<HistoryRecord> = {}): HistoryRecord => ({
  ...{ realm: "eu", seq, atMs: seq * 10, type: "config" },
  ...more,
});
const storedOf = (...seqs: number[]) => ({ runs: historyRunsOf(seqs.map((seq) => record(seq))), trimmed: undefined });
/** Record of another realm at the time of the record 2. */
const ofRealm = (realm: string): HistoryRecord => record(1, { realm, atMs: 20 });
const claim = (lastSeq: number, firstSeq = 1) => ({ firstSeq, lastSeq });

test("[FD77] what a query may lack of a realm", () => {
  const any = { part: "any" };
  const older = (seq: number) => ({ part: "older", from: { realm: "eu", atMs: (seq + 1) * 10, seq } });
  for (const [what, stored, claimed, query, expected] of [
    ["all is stored", storedOf(1, 2, 3), claim(3), {}, undefined],
    ["nothing exists", storedOf(), claim(0), {}, undefined],
    ["nothing is stored", storedOf(), claim(3), {}, any],
    ["the records cannot be read", undefined, claim(3), {}, any],
    ["the newest one is missing", storedOf(1, 2), claim(3), {}, any],
    ["the newest one is not asked for", storedOf(1, 2), claim(3), { untilMs: 20 }, undefined],
    ["a later page", storedOf(1, 2), claim(3), { before: record(2) }, undefined],
    ["newer ones of the same time are missing", storedOf(1, 2), claim(6), { before: record(6, { atMs: 20 }) }, any],
    ["the page begins with what is stored", storedOf(1, 2), claim(6), { before: record(3, { atMs: 20 }) }, undefined],
    ["another realm's record of that time is newer", storedOf(1, 2), claim(6), { before: ofRealm("fr") }, any],
    ["another realm's record of that time is older", storedOf(1, 2), claim(6), { before: ofRealm("at") }, undefined],
    ["the realm is silent", storedOf(1, 2), undefined, {}, any],
    ["the realm is silent, but was heard later", storedOf(1, 2), undefined, { untilMs: 15 }, undefined],
    ["older ones are missing", storedOf(4, 5), claim(5), {}, older(3)],
    ["older ones are not asked for", storedOf(4, 5), claim(5), { sinceMs: 41 }, undefined],
    ["the realm has no older ones", storedOf(4, 5), claim(5, 4), {}, undefined],
  ] as const)
    assert.deepEqual(
      missingHistory("eu", { stored, claim: claimed }, { sinceMs: undefined, untilMs: undefined, ...query }),
      expected,
      what,
    );
});

test("[FD77] a page that is full of newer records needs no older ones", () => {
  const missing = { part: "older", from: record(3) } as const;
  const page = { records: [record(6), record(5)], hasMore: true };
  assert.deepEqual([mayBeInPage(missing, page, 2), mayBeInPage(missing, page, 3)], [false, true]);
  assert.equal(mayBeInPage({ part: "older", from: record(5) }, page, 2), true);
  assert.equal(mayBeInPage({ part: "any" }, page, 2), true);
});

test("[FD77] pages are joined newest first, with each record once as the preferred page has it", () => {
  const preferred = { records: [record(4, { output: "whole" }), record(2)], hasMore: false };
  const other = { records: [record(4, { output: "cut" }), record(3)], hasMore: false };
  const joined = joinHistoryPages(preferred, other, 2);
  assert.deepEqual(
    [joined.records.map(({ seq, output }) => [seq, output]), joined.hasMore],
    [
      [
        [4, "whole"],
        [3, undefined],
      ],
      true,
    ],
  );
  assert.equal(joinHistoryPages(preferred, other, 3).hasMore, false);
});

test("[FD76] records in place of missing ones are within the query and above what the realm is asked for", () => {
  const page = { records: [], hasMore: false };
  const seqsOf = (
    claimed: ReturnType<typeof claim>,
    { isAnswered = false, records = [] as HistoryRecord[], ...query } = {},
  ) =>
    missingRecordsIn(
      { realm: "eu", stored: storedOf(2, 4, 6), claim: claimed },
      { query: { ...allHistory, ...query }, before: undefined },
      { page: { ...page, records }, isAnswered },
    ).map(({ seq }) => seq);
  assert.deepEqual(seqsOf(claim(6)), [3, 5]);
  assert.deepEqual(seqsOf(claim(6), { isAnswered: true }), [], "the realm has answered for what is missing");
  assert.deepEqual(seqsOf(claim(6, 4), { isAnswered: true }), [3], "the realm does not have it any more");
  assert.deepEqual(seqsOf(claim(6), { records: [record(6, { type: "gap" })] }), [3], "the realm says so itself");
});
