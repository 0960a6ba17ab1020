import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { HistoryRecord } from "../../model/history.ts";
import { allHistory } from "../read-model.fixture.ts";
import type { HistoryQuery } from "../read-model.ts";
import { memoryHistory } from "./memory-history.ts";

const all: HistoryQuery = { ...allHistory, pageSize: 1000 };

test("[RM16] records are stored once and returned newest first, for any order and repetition of input", async () => {
  const record = fc.record({ realm: fc.constantFrom("eu", "us"), seq: fc.integer({ min: 1, max: 60 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(record, { maxLength: 200 }), async (positions) => {
      const history = memoryHistory({ maxRecords: 1000, findSubject: () => undefined });
      const records = positions.map(
        ({ realm, seq }): HistoryRecord => ({ realm, seq, atMs: seq * 10, type: "config" }),
      );
      history.add(records);
      const answer = await history.history(all);
      assert.ok(answer.ok);
      const expected = [...new Map(records.map((record) => [`${record.realm} ${record.seq}`, record])).values()];
      expected.sort((a, b) => b.atMs - a.atMs || (a.realm < b.realm ? 1 : -1));
      assert.deepEqual(answer.value.records, expected);
    }),
  );
});

test("[RM16] a full history holds the newest records up to its limit and ignores older ones", async () => {
  const history = memoryHistory({ maxRecords: 16, findSubject: () => undefined });
  const record = (seq: number): HistoryRecord => ({ realm: "eu", seq, atMs: seq, type: "config" });
  history.add(Array.from({ length: 100 }, (_, at) => record(at + 10)));
  history.add([record(1)]);
  assert.equal(history.size, 16);
  const answer = await history.history({ ...all, pageSize: 16 });
  assert.ok(answer.ok);
  assert.deepEqual([answer.value.records[0]?.seq, answer.value.records[15]?.seq], [109, 94]);
});
