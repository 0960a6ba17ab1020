import assert from "node:assert/strict";
import {
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { call } from "../run/call.ts";
import { runRealmwatch } from "../run/cli.ts";
import { startTestAgent, tempFolder } from "../run/processes.ts";
import { hostTarget, sendCommand, statusRows } from "../run/rows.ts";

const passive = `check: {type: "passive", freshness_threshold: "1h", max_attempts: 1, flap: {}}`;
const config = `hosts: web1: {address: "a", ${passive}}\n`;

test("[DU5] a backup is taken during commands, and an agent starts from it", async (t) => {
  const folder = tempFolder(t);
  const agent = await startTestAgent(t, { config });
  const add = (text: string) =>
    sendCommand(agent.base, "AddComment", { target: hostTarget("web1"), author: "ann", text });
  await add("before");
  let running = true;
  const busy = (async () => {
    for (let i = 0; running; i++)
      await sendCommand(agent.base, "SetObjectNotifications", { target: hostTarget("web1"), enabled: i % 2 === 0 });
  })();
  const out = join(folder, "journal.backup");
  const copied = await runRealmwatch(["backup", "-data-dir", agent.dataDir, "-out", out], { env: {} });
  running = false;
  await busy;
  assert.deepEqual([copied.code, copied.stderr], [0, ""]);
  assert.match(copied.stdout, /journal.backup: \d+ bytes, up to command \d+/);
  assert.equal(statSync(out).mode & 0o777, 0o600);
  await add("after");
  const again = await runRealmwatch(["backup", "-data-dir", agent.dataDir, "-out", out], { env: {} });
  assert.equal(again.code, 0, "it replaces the earlier file");
  assert.deepEqual(readdirSync(folder), ["journal.backup"]);
  await add("too late");
  await agent.stop();

  // As in the how-to: the journal is removed and the copy put in its place, the cursors stay.
  for (const name of readdirSync(agent.dataDir)) if (name.startsWith("journal.db")) rmSync(join(agent.dataDir, name));
  copyFileSync(out, join(agent.dataDir, "journal.db"));
  await agent.restart();
  const comments = (await statusRows(agent.base))["web1"]?.comments ?? [];
  const texts = comments.map(({ text }) => text);
  assert.ok(texts.includes("before") && texts.includes("after") && !texts.includes("too late"));
  assert.equal(
    (await call(agent.base, "CommandService/AddComment", { target: hostTarget("web1"), text: "on" })).ok,
    true,
  );

  const verified = await runRealmwatch(["audit", "verify", "-data-dir", agent.dataDir], { env: {} });
  assert.equal(verified.code, 0, verified.stderr);
  mkdirSync(join(folder, "empty"));
  const none = await runRealmwatch(["backup", "-data-dir", join(folder, "empty"), "-out", out], { env: {} });
  assert.equal(none.code, 1);
  assert.match(none.stderr, /holds no journal/);
});

test("[PT7] a backup writes through no link, and removes the files of a backup that was killed", async (t) => {
  const folder = tempFolder(t);
  const agent = await startTestAgent(t, { config });
  const [out, precious] = [join(folder, "journal.backup"), join(folder, "precious")];
  writeFileSync(precious, "precious");
  for (const link of [out, `${out}.new`, `${out}.new-journal`]) symlinkSync(precious, link);
  for (const left of ["", "-journal", "-wal"]) writeFileSync(`${out}.0123456789abcdef.new${left}`, "left");
  const copied = await runRealmwatch(["backup", "-data-dir", agent.dataDir, "-out", out], { env: {} });
  assert.deepEqual([copied.code, copied.stderr], [0, ""]);
  assert.equal(readFileSync(precious, "utf8"), "precious");
  assert.ok(lstatSync(out).isFile());
  const names = ["journal.backup", "journal.backup.new", "journal.backup.new-journal", "precious"];
  assert.deepEqual(readdirSync(folder).sort(), names);
});
