import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { parseFlags } from "@realmwatch/shared/platform/flags/flags";
import { blastRadiusSubCommand } from "./blast-radius.ts";

const folder = mkdtempSync(join(tmpdir(), "blast-radius-"));
after(() => rmSync(folder, { recursive: true }));
const file = join(folder, "new.cue");

const check = '{type: "tcp", address: "127.0.0.1:1", flap: {}}';
const hosts = (names: readonly string[], more = ""): string =>
  names.map((name) => `hosts: ${name}: {address: "a", check: ${check}${more}}\n`).join("");

function run(document: string, stdin: string, args: readonly string[] = []) {
  writeFileSync(file, document);
  const commands = { "blast-radius": blastRadiusSubCommand };
  const read = parseFlags({}, { args: ["blast-radius", file, ...args], env: {}, commands });
  assert.ok(read.ok && read.value.command !== undefined, JSON.stringify(read));
  return blastRadiusSubCommand.run({ ...read.value.command, readStdin: async () => stdin });
}

const acknowledgement = { author: "ann", onBehalfOf: "", comment: "on it", sticky: false, atMs: 0 };
const served = JSON.stringify({
  cue: `${hosts(["web1", "db1"])}contacts: chat: {type: "chat_webhook", webhook_url: "https://chat.example.org/secret"}\n`,
  attached: { db1: { acknowledgement, downtimes: [], comments: [] } },
});
const next = `${hosts(["web1"], ', labels: env: "prod"')}${hosts(["db2"])}`;

test("added, removed and changed objects are listed, and what is deleted with them", async () => {
  const result = await run(next, served);
  assert.ok(result.ok, JSON.stringify(result));
  const lines = result.value.split("\n");
  for (const line of ["  + db2", "  - db1", "  ~ web1"]) assert.ok(lines.includes(line), result.value);
  assert.match(result.value, /-1 contact/);
  assert.match(result.value, /host "db1" is removed, and with it the acknowledgement of "ann": "on it"/);
  assert.doesNotMatch(result.value, /secret/);
});

test("JSON lists objects, sections and losses", async () => {
  const result = await run(next, served, ["-output", "json"]);
  const { added, removed, changed, sections, losses } = JSON.parse(result.ok ? result.value : "{}");
  assert.deepEqual([added, removed, changed], [["db2"], ["db1"], ["web1"]]);
  assert.deepEqual([sections.contacts.removed, losses.length], [["chat"], 1]);
});

test("long lists are truncated, with the number of omitted objects", async () => {
  const result = await run(
    hosts(Array.from({ length: 25 }, (_, at) => `h${at}`)),
    JSON.stringify({ cue: "hosts: {}" }),
  );
  assert.match(result.ok ? result.value : "", /\n {2}\+ h19\n {2}\+ and 5 more$/);
});

test("an unreadable document is reported with its position", async () => {
  const broken = await run("hosts: 1", served);
  assert.ok(!broken.ok && typeof broken.error === "object");
  assert.ok(broken.error.lines[0]?.startsWith(`${file}:1:`), broken.error.lines.join());
  const unread = await run(next, "hosts: {}");
  assert.match(unread.ok ? "" : `${unread.error}`, /standard input is not what blast-radius reads/);
});
