import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { passiveHosts } from "../../faults/redis/redis-faults.ts";
import { call } from "../../run/call.ts";
import { startTestAgent } from "../../run/processes.ts";
import { sendCommand } from "../../run/rows.ts";
import { startSmallAgent } from "../../run/small-agent.ts";

type Note = Readonly<Record<"id" | "author" | "text" | "at", string>>;

async function notesOf(base: string, request: object = {}) {
  const { body } = await call(base, "QueryService/ListNotes", request);
  return { notes: (body["notes"] ?? []) as readonly Note[], next: String(body["nextPageToken"] ?? "") };
}

test("[CM4, CM5] a note is in the shift log and in history, survives kill -9, and is paged newest first", async (t) => {
  const { agent } = await startSmallAgent(t);
  const ids: unknown[] = [];
  for (const text of ["first", "second", "third"])
    ids.push((await sendCommand(agent.base, "AddNote", { text, author: "ann" })).body["noteId"]);
  const blank = await call(agent.base, "CommandService/AddNote", { text: " \n" });
  assert.deepEqual([blank.code, blank.message], ["invalid_argument", "text: is required"]);
  const large = await call(agent.base, "CommandService/AddNote", { text: "x".repeat(65_537) });
  assert.equal(large.code, "resource_exhausted");
  await agent.stop("SIGKILL");
  await agent.restart();
  const { notes } = await until("three notes", async () => {
    const listed = await notesOf(agent.base);
    return listed.notes.length === 3 && listed;
  });
  assert.deepEqual(
    notes.map(({ id, author, text }) => [id, author, text]),
    [
      [ids[2], "ann", "third"],
      [ids[1], "ann", "second"],
      [ids[0], "ann", "first"],
    ],
  );
  const page = await notesOf(agent.base, { pageSize: 2 });
  const rest = await notesOf(agent.base, { pageSize: 2, pageToken: page.next });
  assert.deepEqual([...page.notes, ...rest.notes], notes);
  assert.deepEqual((await notesOf(agent.base, { until: notes[2]?.at })).notes, []);
  const history = await call(agent.base, "QueryService/ListHistory", { types: ["HISTORY_TYPE_NOTE"] });
  const records = history.body["records"] as readonly Readonly<Record<string, string>>[];
  assert.deepEqual(
    records.map(({ comment, commentId, object }) => [comment, commentId, object]),
    notes.map(({ id, text }) => [text, id, undefined]),
  );
});

test("[VW1-VW3] a saved view survives kill -9; one of the configuration cannot be overwritten", async (t) => {
  const config = `${passiveHosts(1)}\nviews: shop: selector: "app=shop"\n`;
  const agent = await startTestAgent(t, { config });
  const views = async () => {
    const { body } = await call(agent.base, "QueryService/ListViews");
    return body["views"] as readonly Readonly<Record<string, unknown>>[];
  };
  const view = { name: "web", selector: "role=web", description: "all of it", author: "ann" };
  await sendCommand(agent.base, "SaveView", { ...view, selector: "role=db" });
  await sendCommand(agent.base, "SaveView", view);
  assert.equal((await views()).find(({ name }) => name === "web")?.["selector"], "role=web");
  const refused = await call(agent.base, "CommandService/SaveView", { ...view, name: "shop" });
  assert.deepEqual([refused.code, refused.message.includes('"shop"')], ["failed_precondition", true]);
  assert.equal((await call(agent.base, "CommandService/DeleteView", { name: "shop" })).code, "failed_precondition");
  await agent.stop("SIGKILL");
  await agent.restart();
  assert.deepEqual(await until("both views", async () => (await views()).length === 2 && views()), [
    { name: "shop", selector: "app=shop" },
    { ...view, saved: true },
  ]);
  const history = await call(agent.base, "QueryService/ListHistory", { types: ["HISTORY_TYPE_TOGGLE"] });
  const [record] = history.body["records"] as readonly Readonly<Record<string, string>>[];
  assert.deepEqual([record?.["output"], record?.["author"]], ['view "web" saved: role=web', "ann"]);
  await sendCommand(agent.base, "DeleteView", { name: "web", author: "ann" });
  assert.equal((await call(agent.base, "CommandService/DeleteView", { name: "web" })).code, "not_found");
  assert.equal((await views()).length, 1);
});
