import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { Redis } from "ioredis";
import { passiveHosts } from "../faults/redis/redis-faults.ts";
import { call } from "../run/call.ts";
import { startNats, startRedis, startTestAgent, startTestAggregator, type TestProgram } from "../run/processes.ts";
import { statusRows } from "../run/rows.ts";

type Note = { readonly id: string; readonly text: string; readonly realm?: string; readonly author?: string };
type ListedNotes = { readonly notes?: readonly Note[]; readonly nextPageToken?: string };

const patient = { withinMs: 30_000 };

/** Adds a note at the aggregator; an empty realm is its own log. */
const addNote = ({ base }: TestProgram, realm: string, text: string, headers: Readonly<Record<string, string>> = {}) =>
  call(base, "RealmCommandService/AddNote", { realm, request: { text, author: "ann" } }, headers);

async function listNotes({ base }: TestProgram, request: object = {}): Promise<ListedNotes> {
  const { ok, body, message } = await call(base, "QueryService/ListNotes", request);
  assert.ok(ok, message);
  return body;
}

/** Texts of all notes with their realms, read in pages of `pageSize`. */
async function notesOf(program: TestProgram, pageSize = 100): Promise<readonly string[]> {
  const found: string[] = [];
  for (let pageToken = ""; ; ) {
    const { notes = [], nextPageToken = "" } = await listNotes(program, { pageSize, pageToken });
    found.push(...notes.map(({ realm = "", text }) => `${realm}:${text}`));
    if (nextPageToken === "") return found;
    pageToken = nextPageToken;
  }
}

const untilNotes = (program: TestProgram, expected: readonly string[]): Promise<unknown> =>
  until(`the notes are ${expected.join(" ")}`, async () => String(await notesOf(program)) === String(expected), {
    ...patient,
  });

async function startCentres(scope: TestScope) {
  const [nats, redis] = await Promise.all([startNats(scope), startRedis(scope)]);
  const flags = { "nats-url": nats.url };
  const views = `\nviews: declared: selector: "x=y"\n`;
  await Promise.all([
    startTestAgent(scope, { config: passiveHosts(1), realm: "fra", flags }),
    startTestAgent(scope, { config: passiveHosts(1) + views, realm: "ams", flags }),
  ]);
  const withRedis = { realms: "realms: {fra: {}, ams: {}}\n", flags: { ...flags, "redis-url": redis.url } };
  const [first, second] = await Promise.all([1, 2].map(() => startTestAggregator(scope, withRedis)));
  const alone = await startTestAggregator(scope, { ...withRedis, flags });
  assert.ok(first && second);
  for (const { base } of [first, second, alone])
    await until("rows of both realms", async () => Object.keys(await statusRows(base)).length === 2, patient);
  return { redis, first, second, alone };
}

const changeView = ({ base }: TestProgram, rpc: "SaveView" | "DeleteView", realm: string, request: object) =>
  call(base, `RealmCommandService/${rpc}`, { realm, request: { author: "ann", ...request } });

/** `realm:name selector` of all views, sorted. */
async function viewsOf({ base }: TestProgram): Promise<readonly string[]> {
  const { body } = await call(base, "QueryService/ListViews");
  const views = (body["views"] ?? []) as readonly Readonly<Record<string, string>>[];
  return views.map(({ realm = "", name, selector }) => `${realm}:${name} ${selector}`).sort();
}

/** [VW4] Views of the centre and of a realm are shown by both aggregators; the realm's configured name is refused. */
async function assertViewsAreShared(first: TestProgram, second: TestProgram): Promise<void> {
  const saved = [
    await changeView(first, "SaveView", "", { name: "team", selector: "a=x" }),
    await changeView(second, "SaveView", "", { name: "team", selector: "a=b" }),
    await changeView(first, "SaveView", "", { name: "gone", selector: "a=b" }),
    await changeView(first, "SaveView", "fra", { name: "of fra", selector: "c=d" }),
    await changeView(second, "DeleteView", "", { name: "gone" }),
    await changeView(first, "DeleteView", "", { name: "gone" }),
    await changeView(first, "SaveView", "", { name: "declared", selector: "a=b" }),
  ];
  assert.deepEqual(
    saved.map(({ code }) => code),
    ["", "", "", "", "", "not_found", "failed_precondition"],
  );
  for (const program of [first, second])
    await until(
      "both saved views",
      async () => String(await viewsOf(program)) === ":team a=b,ams:declared x=y,fra:of fra c=d",
      patient,
    );
}

test("[FD100, VW4] the centre's own notes are merged with those of the realms, and outlive restarts and rebuilds", async (t) => {
  const { redis, first, second, alone } = await startCentres(t);
  const added = ["fra:1", ":2", "ams:3", ":4", "fra:5"];
  for (const note of added) {
    const [realm = "", text = ""] = note.split(":");
    const { ok, message } = await addNote(first, realm, text);
    assert.ok(ok, message);
  }
  const expected = added.toReversed();
  await untilNotes(first, expected);
  await untilNotes(second, expected);
  assert.deepEqual(await notesOf(first, 1), expected);
  await untilNotes(alone, ["fra:5", "ams:3", "fra:1"]);

  // A repeat with the same key adds no second note. The key of another request is refused.
  const keyed = { "idempotency-key": "once" };
  const once = [await addNote(second, "", "6", keyed), await addNote(first, "", "6", keyed)];
  assert.equal(once[0]?.body["noteId"], once[1]?.body["noteId"]);
  assert.equal((await addNote(first, "", "7", keyed)).code, "invalid_argument");
  assert.equal((await addNote(first, "", " ")).code, "invalid_argument");
  assert.equal((await addNote(first, "", "x".repeat(65_537))).code, "resource_exhausted");
  const all = [":6", ...expected];
  await untilNotes(first, all);

  const history = await call(first.base, "QueryService/ListHistory", { types: ["HISTORY_TYPE_NOTE"], pageSize: 1 });
  const [record] = history.body["records"] as readonly Readonly<Record<string, string>>[];
  assert.deepEqual([record?.["comment"], record?.["author"], record?.["realm"] ?? ""], ["6", "ann", ""]);
  assert.deepEqual(
    (await listNotes(first, { realm: "ams" })).notes?.map(({ text }) => text),
    ["3"],
  );

  await assertViewsAreShared(first, second);
  await addNote(alone, "", "own");
  await changeView(alone, "SaveView", "", { name: "kept", selector: "a=b" });
  for (const program of [first, alone]) {
    await program.stop("SIGKILL");
    await program.restart();
  }
  await untilNotes(first, all);
  await untilNotes(alone, [":own", "fra:5", "ams:3", "fra:1"]);

  assert.deepEqual(await viewsOf(first), [":team a=b", "ams:declared x=y", "fra:of fra c=d"]);
  assert.deepEqual(await viewsOf(alone), [":kept a=b", "ams:declared x=y", "fra:of fra c=d"]);

  const client = new Redis(redis.url);
  const mirrored = await client.keys("rw:v*");
  assert.ok(mirrored.length > 0);
  await client.del(...mirrored);
  client.disconnect();
  await untilNotes(first, all);
});
