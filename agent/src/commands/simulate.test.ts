import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { loadConfiguration } from "../check-config.ts";
import { openJournal } from "../journal/threads/open-journal.ts";
import { openRealmScenario } from "../simulate/recorded-realm.fixture.ts";
import { runSubCommand } from "./run-sub-command.fixture.ts";
import { simulateSubCommand } from "./simulate.ts";

const folder = mkdtempSync(join(tmpdir(), "simulate-command-"));
after(() => rmSync(folder, { recursive: true }));
const [dataDir, old, next] = ["data", "old.cue", "new.cue"].map((name) => join(folder, name)) as [
  string,
  string,
  string,
];

const document = (interval: string): string => `
contacts: {
	ann: {type: "email", address: "ann@example.org"}
	hook: {type: "webhook", url: "https://hook.example.org/hidden"}
}
notifications: shop: levels: [{contacts: ["ann", "hook"], renotify_interval: "${interval}"}]
hosts: web1: {
	address: "127.0.0.1"
	zone: "here"
	check: {type: "tcp", address: "127.0.0.1:1", flap: {}}
	services: http: {notification: "shop", check: {type: "tcp", address: "127.0.0.1:1", flap: {}}}
}
`;
writeFileSync(old, document("30m"));
writeFileSync(next, document("1h"));

const options = { configProfile: "", configTimeout: 60_000, configMemory: 2 ** 30, realm: "fra" } as const;
const plan = await loadConfiguration({ ...options, config: old }, systemClock);
assert.ok(plan.ok, JSON.stringify(plan));
const scenario = await openRealmScenario(plan.value);
await scenario.pass(10 * 60_000);
scenario.set("critical", "web1!http");
await scenario.pass(100 * 60_000);
await scenario.write(dataDir);

const run = (...args: readonly string[]) =>
  runSubCommand(simulateSubCommand, [`-data-dir=${dataDir}`, "-since=2026-03-01T00:00:00Z", ...args]);

test("[SI1] saved and added notifications are listed by contact and object", async () => {
  const { code, stdout, stderr } = await run(next, `-config=${old}`);
  assert.deepEqual([code, stderr], [0, ""]);
  for (const line of [
    /^recorded +8$/m,
    /^replayed with the new document +4$/m,
    /^ {2}saved +4$/m,
    /^ {2}added +0$/m,
    /^ {2}- 2026-03-10T\S+ {2}PROBLEM {2}critical {2}web1!http {2}-> ann$/m,
    /^ann +2 +2 +0$/m,
    /^web1!http +4 +4 +0$/m,
    /^the replay of the old document gives 8 of 8 recorded notifications, and 0 others$/m,
    /^history does not reach back so far/m,
  ])
    assert.match(stdout, line);
  assert.doesNotMatch(stdout, /hidden/);
});

test("[SI1] JSON compares with the recorded notifications when no active document is given", async () => {
  const { stdout } = await run(next, "-output=json");
  const { counts, saved, added, rehearsal, realm } = JSON.parse(stdout);
  assert.deepEqual(counts, { recorded: 8, new: 4, same: 4, saved: 4, added: 0 });
  assert.deepEqual([saved.length, added.length, rehearsal, realm], [4, 0, undefined, "fra"]);
  assert.deepEqual(Object.keys(saved[0]), ["at", "object", "contact", "kind", "status", "level"]);
});

test("[SI6] the journal is unchanged, byte for byte", async () => {
  const before = readFileSync(join(dataDir, "journal.db"));
  await run(next, `-config=${old}`);
  assert.ok(before.equals(readFileSync(join(dataDir, "journal.db"))));
});

test("[SI6] lost records and other configurations in the time span are reported", async () => {
  const worse = join(folder, "worse");
  const opened = await openJournal({ dataDir: worse, realm: "fra", historyRetentionMs: 1e12, clock: scenario.clock });
  assert.ok(opened.ok);
  await opened.value.recover(() => {});
  const atMs = scenario.clock.now();
  const history = [...scenario.history, { atMs, type: "config" as const, output: "+1 service" }];
  await opened.value.append({ states: [], program: undefined, history, appliedCommandSeq: 0 });
  await opened.value.noteLost({ fromSeq: 100, toSeq: 10_000 }, 0);
  await opened.value.close();
  const { stdout } = await runSubCommand(simulateSubCommand, [
    next,
    `-data-dir=${worse}`,
    "-since=2026-03-01T00:00:00Z",
  ]);
  assert.match(stdout, /^the configuration changed once in the span$/m);
  assert.match(stdout, /^records were lost or are damaged: once$/m);
});

test("an invalid time span, a document with errors, and a directory without a journal are reported", async () => {
  writeFileSync(join(folder, "broken.cue"), "hosts: 1\n");
  const broken = await run(join(folder, "broken.cue"));
  assert.match(broken.stderr, /broken\.cue:1:/);
  const none = await runSubCommand(simulateSubCommand, [next, `-data-dir=${folder}`]);
  assert.match(none.stderr, /holds no journal: is it an agent's -data-dir\?/);
  const recent = await runSubCommand(simulateSubCommand, [next, `-data-dir=${dataDir}`, "-since=0"]);
  assert.deepEqual([recent.code, /recorded +0/.test(recent.stdout)], [0, true]);
  for (const text of ["7 days", "yesterday", "-1h"])
    await assert.rejects(run(next, `-since=${text}`), /is neither a span such as 7d or 36h nor an RFC 3339 instant/);
});
