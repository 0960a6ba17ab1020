import assert from "node:assert/strict";
import { after, test } from "node:test";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import { compareHistory } from "@realmwatch/shared/read-model/history/history-position";
import {
  allPages,
  isAskedFor,
  sampleHistoryEntries,
  textQueries,
} from "@realmwatch/shared/read-model/history/history-text.fixture";
import { parseSelector } from "@realmwatch/shared/text/selector/selector";
import fc from "fast-check";
import {
  commentCommandInput,
  historySeqs,
  journalBatch,
  openTestJournals,
  testHistoryEntry,
  testHistoryQuery,
} from "../journal.fixture.ts";

const { newDir, open } = openTestJournals(after);

test("history is queried by object, selector, type and time, in pages, newest first", async () => {
  const refs = ["web1!http", "db1"];
  const journal = await open(newDir());
  const http = { kind: "service", host: "web1", name: "http" } as const;
  const history = Array.from({ length: 30 }, (_, i) =>
    testHistoryEntry(1_000 + i, { ...(i % 3 === 0 ? { key: http } : {}), type: i % 2 === 0 ? "state" : "config" }),
  );
  await journal.append(journalBatch({ history }));
  const all = Array.from({ length: 30 }, (_, i) => 30 - i);
  assert.deepEqual(await historySeqs(journal), all);
  assert.deepEqual(
    await historySeqs(journal, { key: http }),
    all.filter((seq) => seq % 3 === 1),
  );
  assert.deepEqual(await historySeqs(journal, { key: { kind: "host", name: "web1" } }), []);
  assert.deepEqual(
    await historySeqs(journal, { types: ["config"] }),
    all.filter((seq) => seq % 2 === 0),
  );
  assert.deepEqual(
    await historySeqs(journal, { types: ["config", "state"], sinceMs: 1_010, untilMs: 1_012 }),
    [12, 11],
  );
  assert.deepEqual(await historySeqs(journal, { realm: "r" }), all);
  assert.deepEqual(await historySeqs(journal, { realm: "other" }), []);

  const selector = parseSelector("a=b");
  assert.ok(selector.ok);
  assert.deepEqual((await historySeqs(journal, { selector: selector.value }, () => refs)).length, 10);
  refs.push(...Array.from({ length: 1_000 }, (_, i) => `host${i}`));
  assert.deepEqual((await historySeqs(journal, { selector: selector.value }, () => refs)).length, 10);
  const other = { selector: selector.value, key: { kind: "host", name: "nobody" } } as const;
  assert.deepEqual(await historySeqs(journal, other, () => refs), []);

  const paged: number[] = [];
  for (let pageToken = ""; ; ) {
    const page = await journal.history(testHistoryQuery({ pageSize: 7, pageToken }));
    assert.ok(page.ok);
    paged.push(...page.value.records.map((r) => r.seq));
    pageToken = page.value.nextPageToken;
    if (pageToken === "") break;
  }
  assert.deepEqual(paged, all);
  const nonsense = await journal.history(testHistoryQuery({ pageToken: "x" }));
  assert.equal(!nonsense.ok && nonsense.error.kind, "malformed");
  await journal.close();
});

test("[RM33] history is searched by actor, contact and text as by reading all of it", async () => {
  const journal = await open(newDir());
  // More records than one slice of a search holds.
  const sample = sampleHistoryEntries(300);
  const others = Array.from({ length: 2_500 }, () => testHistoryEntry(20, { output: "fine", author: "zoe" }));
  const history = [...sample.slice(0, 150), ...others, ...sample.slice(150)];
  await journal.append(journalBatch({ history }));
  const records = history
    .map((entry, at) => ({ ...entry, realm: "", seq: at + 1 }))
    .sort((a, b) => compareHistory(b, a));
  await fc.assert(
    fc.asyncProperty(textQueries, async (query) => {
      const found = await allPages({ ...query, pageSize: 50 }, async (page) => {
        const answer = await journal.history(page);
        return answer.ok ? answer.value : assert.fail();
      });
      assert.deepEqual(
        found.map(({ seq }) => seq),
        // By type, a realm has its records in place of missing ones only when it is asked for gaps.
        records
          .filter(({ type }) => query.types.length === 0 || query.types.includes(type))
          .filter((record) => isAskedFor(record, query))
          .map(({ seq }) => seq),
      );
    }),
    { numRuns: 30 },
  );
  await journal.close();
});

test("[NB5] history and commands can be made to continue after records that others have seen", async () => {
  const journal = await open(newDir());
  await journal.append(journalBatch({ history: [testHistoryEntry(1)] }));
  const missing = { fromSeq: 2, toSeq: 7, lostCommands: 4 };
  assert.deepEqual(await journal.noteLost(missing, 4), { ok: true, value: { lastHistorySeq: 8 } });
  assert.equal(journal.lastCommandSeq(), 4);
  const command = await journal.accept(commentCommandInput("next"));
  assert.equal(command.ok && command.value.seq, 5);
  assert.deepEqual(
    (await journal.historyAfter(0, 9)).map((r) => [r.seq, r.type]),
    [
      [1, "state"],
      [8, "gap"],
    ],
  );
  await journal.close();
});

test("retention deletes old records, but not after a clock jump", async () => {
  const clock = manualClock(20_000_000);
  const journal = await open(newDir(), { clock, historyRetentionMs: 10_000_000 });
  await journal.append(journalBatch({ history: Array.from({ length: 1_200 }, (_, i) => testHistoryEntry(i)) }));
  await journal.append(journalBatch({ history: [testHistoryEntry(20_000_000)] }));
  const count = async (): Promise<number> => (await journal.historyAfter(0, 10_000)).length;
  clock.jumpWall(3_600_000_000);
  clock.advance(60_000);
  await journal.append(journalBatch({ history: [testHistoryEntry(20_000_001)] }));
  assert.equal(await count(), 1_202);
  clock.jumpWall(-3_600_000_000);
  clock.advance(60_000);
  clock.advance(3_600_000);
  // Each slice is trimmed only after the clock advanced and the disk responded.
  for (let tries = 0; tries < 1_000 && (await count()) > 2; tries++) clock.advance(100);
  assert.deepEqual(
    (await journal.historyAfter(0, 10_000)).map((r) => r.seq),
    [1_201, 1_202],
  );
  await journal.close();
});
