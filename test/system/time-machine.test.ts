import assert from "node:assert/strict";
import { test } from "node:test";
import { keyOf, refOf } from "@realmwatch/shared/model/object-key";
import { memoryHistory } from "@realmwatch/shared/read-model/history/memory-history";
import { memoryReadModel } from "@realmwatch/shared/read-model/memory-read-model";
import type { StatusQuery } from "@realmwatch/shared/read-model/read-model";
import { parseSelector } from "@realmwatch/shared/text/selector/selector";
import { runScript, type ScriptedCommand } from "./random-commands.ts";
import { allRowsQuery, openRecordedRealm, queryRows, type RecordedRealm, recordedRefs } from "./recorded-realm.ts";

/** Runs a script with results, an acknowledgement and a comment. Resolves to a time in the middle of it, Unix ms. */
async function runSampleScript(realm: RecordedRealm): Promise<number> {
  const scripted = (kind: string, ref: string, variant: number): ScriptedCommand => ({ ticks: 2, kind, ref, variant });
  await runScript(realm, [
    ...recordedRefs.flatMap((ref) => [scripted("result", ref, 0)]),
    ...[
      scripted("result", "web1!http", 1),
      scripted("result", "web1!http", 1),
      scripted("acknowledge", "web1!http", 2),
    ],
    scripted("comment", "web1!disk", 0),
  ]);
  const atMs = realm.clock.now();
  await runScript(realm, [
    scripted("result", "web1!http", 0),
    scripted("result", "gw", 1),
    scripted("result", "gw", 1),
  ]);
  return atMs;
}

test("[TM3] filters, order, pages and the summary apply to the rows of the past time", async () => {
  const realm = await openRecordedRealm();
  const atMs = await runSampleScript(realm);
  const selector = parseSelector("@status=critical");
  assert.ok(selector.ok);
  const refsOf = async (query: Partial<StatusQuery>) =>
    (await queryRows(realm.model, query)).map(({ about }) => refOf(about.key));
  assert.deepEqual(await refsOf({ problemsOnly: true }), ["gw"]);
  for (const query of [
    { problemsOnly: true },
    { statuses: ["critical"] },
    { selector: selector.value },
    { key: keyOf("web1!http") },
    { search: "HTTP" },
  ] as const)
    assert.deepEqual(await refsOf({ ...query, atMs }), ["web1!http"], JSON.stringify(query));
  assert.deepEqual(await refsOf({ unhandledOnly: true, atMs }), []);
  assert.deepEqual(await refsOf({ realm: "elsewhere", atMs }), []);
  const first = await realm.model.status({
    ...allRowsQuery,
    sort: { by: "severity", reverse: false },
    pageSize: 3,
    atMs,
  });
  assert.ok(first.ok);
  assert.deepEqual(
    first.value.rows.map(({ status }) => status),
    ["critical", "ok", "ok"],
  );
  assert.deepEqual([first.value.summary.acknowledged, first.value.summary.unhandled, first.value.revision], [1, 0, ""]);
  const { nextPageToken: pageToken } = first.value;
  const next = await realm.model.status({
    ...allRowsQuery,
    sort: { by: "severity", reverse: false },
    pageSize: 3,
    pageToken,
    atMs,
  });
  assert.deepEqual(next.ok && [next.value.rows.length, next.value.nextPageToken], [1, ""]);
  await realm.close();
});

test("[TM4] when history does not reach back to the time, an object that changed since is pending with the reason", async () => {
  const realm = await openRecordedRealm();
  const atMs = await runSampleScript(realm);
  const history = memoryHistory({ maxRecords: 4, findSubject: () => undefined });
  history.add(await realm.journal.historyAfter(0, 1000));
  const withShortHistory = memoryReadModel({ generation: "3", history, ownRealm: "fra" });
  withShortHistory.apply((await queryRows(realm.model)).map((row) => ({ kind: "put", row })));
  const rows = await queryRows(withShortHistory, { atMs });
  assert.deepEqual(
    rows.map(({ about, status, output }) => [refOf(about.key), status, output]),
    [
      ["gw", "pending", "history does not reach back so far"],
      ["web1", "ok", "ok"],
      ["web1!disk", "ok", "ok"],
      ["web1!http", "pending", "history does not reach back so far"],
    ],
  );
  await realm.close();
});
