import assert from "node:assert/strict";
import { test } from "node:test";
import { refOf } from "../../model/object-key.ts";
import { ok } from "../../model/result.ts";
import { everyRow, rowFor } from "../read-model.fixture.ts";
import type { StatusQuery } from "../read-model.ts";
import type { LiveEntry } from "../rows/object-entry.ts";
import type { PastSource } from "./past-records.ts";
import { openPastStatus } from "./past-status.ts";

const nowMs = 1_000_000;
const atMs = nowMs - 60_000;

function opened() {
  let readings = 0;
  const past: PastSource = {
    async pastRecords() {
      readings += 1;
      return ok({ reachesBack: () => true, of: () => undefined });
    },
  };
  const rows = [
    rowFor("eu", "web1", { lastCheckAtMs: nowMs - 1, nextCheckAtMs: nowMs + 9, perfdata: [], longOutput: "later" }),
    rowFor("eu", "web1!http", { status: "critical", lastChangeAtMs: 5, lastCheckAtMs: atMs - 1, longOutput: "then" }),
  ];
  const entries = rows.map((row) => ({
    ...{ realm: row.realm, key: row.about.key, ref: refOf(row.about.key), sortKey: refOf(row.about.key), row },
    ...{ epoch: 1, revision: 1, change: 1, placeChange: 1, cause: undefined, older: undefined, newer: undefined },
  })) satisfies LiveEntry[];
  const status = openPastStatus({
    past,
    entries: () => entries,
    naming: { ownRealm: "" },
    yieldToEventLoop: async () => {},
  });
  return {
    readings: () => readings,
    ask: async (query: Partial<StatusQuery> = {}, at = atMs) => {
      const answer = await status.status({ ...everyRow, nowMs, atMs: at, ...query }, at);
      return answer.ok ? answer.value : assert.fail(JSON.stringify(answer.error));
    },
  };
}

test("[TM7] the list, the counts and further pages of a view of the past are answered from one reading", async () => {
  const { ask, readings } = opened();
  const [list, problems, counts] = await Promise.all([
    ask({ pageSize: 1 }),
    ask({ problemsOnly: true }),
    ask({ summaryOnly: true, nowMs: nowMs + 5_000 }),
  ]);
  assert.deepEqual(
    [list, problems, counts].map(({ rows, summary }) => [rows.length, summary.unhandled]),
    [
      [1, 1],
      [1, 1],
      [0, 1],
    ],
  );
  const next = await ask({ pageSize: 1, pageToken: list.nextPageToken, nowMs: nowMs + 60_000 });
  assert.deepEqual([next.rows.length, readings()], [1, 1]);
});

test("[TM7] a later view, another time and a time less than a minute past are read anew", async () => {
  const { ask, readings } = opened();
  await ask();
  await ask({ nowMs: nowMs + 5_001 });
  await ask({}, atMs - 1);
  await ask({}, atMs + 1);
  await ask({}, atMs + 1);
  assert.equal(readings(), 5);
});

test("[TM2] a row that did not change has no data of later checks, and is ordered without them", async () => {
  const { ask } = opened();
  const { rows } = await ask({ sort: { by: "lastCheck", reverse: false } });
  assert.deepEqual(
    rows.map((row) => [refOf(row.about.key), row.longOutput, row.lastCheckAtMs, row.nextCheckAtMs]),
    [
      ["web1", "", undefined, undefined],
      ["web1!http", "then", atMs - 1, undefined],
    ],
  );
});
