import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { read } from "../architecture/sources.ts";
import { cliProgram, outputOf, runRealmwatch, runToEnd } from "../run/cli.ts";
import { startTcpTarget, startTestAgent, type TestScope, tempFolder } from "../run/processes.ts";
import { statusRows } from "../run/rows.ts";
import { smallRealm } from "../run/small-realm.ts";

const document = (address: string): string =>
  smallRealm(address, `contacts: chat: {type: "chat_webhook", webhook_url: "https://chat.example.org/hooks/hidden"}`);

const token = "a-token-of-an-admin-0123456789abcdef";

/** Starts an agent that authenticates its callers, with the environment for calls. */
async function startGuarded(scope: TestScope) {
  const target = await startTcpTarget(scope);
  const auth = join(tempFolder(scope), "auth.cue");
  const digest = createHash("sha256").update(token).digest("hex");
  writeFileSync(auth, `auth: ann: {role: "admin", token_hash: "sha256:${digest}"}\n`);
  const agent = await startTestAgent(scope, {
    config: document(target.address),
    realm: "fra",
    flags: { "auth-config": auth },
  });
  const headers = { authorization: `Bearer ${token}` };
  await until("first checks", async () => {
    const rows = Object.values(await statusRows(agent.base, {}, headers));
    return rows.filter(({ status }) => status === "STATUS_OK").length === 2;
  });
  return { agent, target, env: { REALMWATCH_SERVER: agent.base, REALMWATCH_TOKEN: token, NO_COLOR: "1" } };
}

test("queries and commands to an agent", async (t) => {
  const { target, env } = await startGuarded(t);
  const json = async (...args: string[]) => JSON.parse(await outputOf([...args, "-output", "json"], env));
  const acknowledgementOf = async (selector: string) => (await json("status", selector)).rows[0].acknowledgement;
  /** Waits until so many downtimes are listed, and returns them: an answered command may take a moment to show. */
  const downtimes = (count: number) =>
    until(`${count} downtimes`, async () => {
      const all = await json("downtime", "list");
      return all.length === count && all;
    });

  await t.test("status, objects and realms", async () => {
    const table = await outputOf(["status"], env);
    assert.match(table, /^STATUS +OBJECT +FOR +ATTEMPT +HANDLED +OUTPUT\n/);
    assert.match(table, /\n3 objects: /);
    assert.deepEqual((await outputOf(["status", "@kind=service", "-q", "-sort", "name"], env)).split("\n"), [
      "web1!http",
      "web1!job",
      "",
    ]);
    assert.equal((await json("status", "-search", "JOB")).rows[0].object.service.name, "job");
    const objects = await json("objects", "@kind=host");
    assert.deepEqual(
      [objects.rows.length, objects.rows[0].labels, objects.rows[0].checkType],
      [1, { env: "prod" }, "tcp"],
    );
    assert.deepEqual(
      (await json("realms")).map(({ name, reachable }: { name: string; reachable: boolean }) => [name, reachable]),
      [["fra", true]],
    );
  });

  await t.test("an acknowledgement and its removal", async () => {
    await target.close();
    await until("a hard problem", async () => (await outputOf(["status", "-problems"], env)).includes("hard"));
    assert.match(
      await outputOf(["ack", "web1!http", "-comment", "-on it", "-expires", "4h"], env),
      /^acknowledged web1!http\n$/,
    );
    const acknowledgement = await until("the acknowledgement", () => acknowledgementOf("@name=http"));
    const hoursLeft = (Date.parse(acknowledgement.expiresAt) - Date.parse(acknowledgement.at)) / 3_600_000;
    assert.deepEqual([acknowledgement.author, acknowledgement.comment], ["ann", "-on it"]);
    assert.ok(Math.abs(hoursLeft - 4) < 0.1, `${hoursLeft} h`);
    await outputOf(["ack", "remove", "-selector", "env=prod"], env);
    await until("no acknowledgement", async () => (await acknowledgementOf("@name=http")) === undefined);
    await target.open();
  });

  await t.test("downtimes: add, list, remove", async () => {
    const { downtimeIds } = await json(
      "downtime",
      "add",
      "web1",
      "-for",
      "2h",
      "-include-services",
      "-comment",
      "disks",
    );
    assert.equal(downtimeIds.length, 3);
    const flexible = [
      "downtime",
      "add",
      "web1!job",
      "-start",
      "+1h",
      "-end",
      "+2h",
      "-flexible",
      "10m",
      "-comment",
      "x",
    ];
    const [id] = (await outputOf([...flexible, "-q"], env)).split("\n");
    const all = await downtimes(4);
    const later = all.find(({ downtime }: { downtime: { id: string } }) => downtime.id === id)?.downtime;
    assert.equal(later.flexible.duration, "600s");
    assert.equal((Date.parse(later.end) - Date.parse(later.start)) / 3_600_000, 2);
    assert.match(await outputOf(["downtime", "list", "-active"], env), /web1 +in effect .* fixed +ann +disks/);
    const removed = await runRealmwatch(["downtime", "rm", downtimeIds[0], "nowhere", id ?? ""], { env });
    assert.deepEqual([removed.code, removed.stdout.split("\n").length], [1, 3]);
    assert.match(removed.stderr, /^realmwatch: .*downtime "nowhere" does not exist \(not_found\)\n$/);
    await downtimes(2);
  });

  await t.test("comments, checks, switches and history", async () => {
    const { commentId } = await json("comment", "add", "web1!job", "fan 2 is loud\u001b[31m");
    await until("the comment", async () => (await json("status", "@name=job")).rows[0].comments?.length === 1);
    assert.match(await outputOf(["comment", "rm", commentId], env), /^deleted comment /);
    await outputOf(["check", "-selector", "@host=web1"], env);
    await outputOf(["toggle", "object", "active-checks", "off", "web1!http"], env);
    await until("checks are off", async () => !(await json("status", "@name=http")).rows[0].activeChecksEnabled);
    await outputOf(["toggle", "program", "notifications", "off"], env);
    await outputOf(["toggle", "contact", "chat", "off"], env);
    const expected = ["contact chat off", "comment deleted", "downtime scheduled", "acknowledged", "CRITICAL"];
    const history = await until("history of all commands", async () => {
      const text = await outputOf(["history", "-limit", "1000", "-since", "1h"], env);
      return expected.every((part) => text.includes(part)) && text;
    });
    assert.ok(!history.includes("\u001b"));
    const { records } = await json("history", "web1!job", "-type", "comment_added");
    assert.deepEqual(
      records.map(({ type }: { type: string }) => type),
      ["HISTORY_TYPE_COMMENT_ADDED"],
    );
  });

  await t.test("refusals", async () => {
    const cases: [args: string[], code: number, stderr: RegExp, env?: Record<string, string>][] = [
      [["check", "nowhere"], 1, /^realmwatch: .*host "nowhere" does not exist \(not_found\)\n$/],
      [["status", "env==="], 1, /^realmwatch: selector: .* at character \d+ \(invalid_argument\)\n$/],
      [["check", "web1", "-target-realm", "ams"], 1, /is the agent of realm "fra", not of "ams"\n$/],
      [["history", "-realm", "ams"], 1, /has no realm "ams"; it has fra\n$/],
      [["status", "-token="], 2, /^realmwatch: -token: the value is empty\n$/],
      [
        ["status"],
        1,
        /\(unauthenticated\); use realmwatch login, -token or -token-file\n$/,
        { REALMWATCH_TOKEN: "hidden-but-wrong" },
      ],
      [
        ["status", "-server", "http://127.0.0.1:1"],
        1,
        /^realmwatch: http:\/\/127\.0\.0\.1:1 cannot be reached: .*ECONNREFUSED/,
      ],
      [["toggle", "object", "active-check", "off", "web1"], 2, /did you mean active-checks\?\n$/],
      [["downtime", "add", "web1", "-comment", "x", "-start", "22:00"], 2, /-end or -for is required/],
    ];
    for (const [args, code, message, more = {}] of cases) {
      const ended = await runRealmwatch(args, { env: { ...env, ...more } });
      assert.deepEqual([ended.code, ended.stdout], [code, ""], args.join(" "));
      assert.match(ended.stderr, message);
      assert.doesNotMatch(ended.stderr, /hidden|\n./);
    }
  });
});

test("configuration of an agent: get, diff, a refused and an applied document", async (t) => {
  const { target, env } = await startGuarded(t);
  const folder = tempFolder(t);
  const file = (name: string, text?: string): string => {
    const path = join(folder, name);
    if (text !== undefined) writeFileSync(path, text);
    return path;
  };
  const served = document(target.address);
  assert.equal(await outputOf(["config", "get"], env), served);
  assert.equal(
    await outputOf(["config", "get", "-out", file("served.cue")], env),
    `written to ${file("served.cue")}\n`,
  );
  assert.equal(readFileSync(file("served.cue"), "utf8"), served);
  assert.equal(statSync(file("served.cue")).mode & 0o777, 0o600);
  assert.match(
    await outputOf(["config", "diff", file("served.cue")], env),
    /served\.cue does not differ from the document of http:.*\n$/,
  );

  const broken = await runRealmwatch(
    ["config", "apply", file("broken.cue", served.replace('"1h"', '"1 hour"')), "-yes"],
    {
      env,
    },
  );
  assert.deepEqual([broken.code, broken.stdout], [1, ""]);
  assert.match(broken.stderr, /^\S*\/broken\.cue:8:\d+: .*1 hour/);

  await outputOf(["comment", "add", "web1!job", "keep an eye on it"], env);
  await until("the comment", async () => (await outputOf(["status", "-output", "json"], env)).includes("keep an eye"));
  const next = file("next.cue", served.replace(/\t\tjob:.*\n/, "").replace('"prod"', '"test"'));
  const diff = await outputOf(["config", "diff", next], env);
  assert.match(diff, /^--- http.*\n\+\+\+ \S*next\.cue\n@@ -1,\d+ \+1,\d+ @@\n/);
  assert.match(diff, /\n-\tlabels: \{env: "prod"\}\n\+\tlabels: \{env: "test"\}\n/);
  assert.match(diff, /\n-\t\tjob: check/);

  const unconfirmed = await runRealmwatch(["config", "apply", next], { env });
  assert.deepEqual([unconfirmed.code, unconfirmed.stdout], [2, ""]);
  assert.match(unconfirmed.stderr, /-1 service/);
  assert.match(unconfirmed.stderr, /\n {2}- web1!job\n/);
  assert.match(
    unconfirmed.stderr,
    /service "job" on host "web1" is removed, and with it the comment of "ann": "keep an eye on it"/,
  );
  assert.match(unconfirmed.stderr, /nothing was applied: -yes is required without a terminal\n$/);
  assert.equal(await outputOf(["status", "-q", "env=test"], env), "");

  const applied = await runRealmwatch(["config", "apply", next, "-yes"], { env });
  assert.deepEqual(
    [applied.code, applied.stdout],
    [0, `${env.REALMWATCH_SERVER} now runs on ${next}\n`],
    applied.stderr,
  );
  await until("the new document's objects", async () => {
    return (await outputOf(["status", "-q", "env=test", "-sort", "name"], env)) === "web1\nweb1!http\n";
  });
  assert.match(await outputOf(["config", "apply", next], env), /already runs on \S*\n$/);
});

test("config validate and config period work without a server", async (t) => {
  const folder = tempFolder(t);
  const path = join(folder, "office.cue");
  writeFileSync(path, `hosts: {}\ntimeperiods: office: {timezone: "Europe/Berlin", ranges: monday: "09:00-17:00"}\n`);
  const env = { REALMWATCH_SERVER: "http://127.0.0.1:1" };
  assert.match(await outputOf(["config", "validate", path], env), /^the configuration holds: 0 hosts/);
  const period = (name: string, ...more: string[]) =>
    runRealmwatch(["config", "period", path, name, "--to", "2026-10-27T00:00:00Z", ...more], { env });
  const openings = await period("office", "--from=2026-10-19T08:00:00Z", "-output", "json");
  assert.deepEqual(JSON.parse(openings.stdout), [
    { open: "2026-10-19T08:00:00Z", close: "2026-10-19T15:00:00Z" },
    { open: "2026-10-26T08:00:00Z", close: "2026-10-26T16:00:00Z" },
  ]);
  const from = "-from=2026-10-19T08:00:00Z";
  const cases: [Promise<{ code: number | null; stderr: string }>, number, RegExp][] = [
    [period("ofice", from), 1, /"ofice" is not declared in .*: did you mean "office"\?\n$/],
    [period("office", "-from=monday"), 2, /-from: "monday" is no instant/],
    [period("office", "-from=2026-10-28T00:00:00Z"), 2, /-to must be after -from\n$/],
    [period("office", "-from=2001-10-28T00:00:00Z"), 2, /more than ten years/],
    [period("office"), 2, /flag -from is required\n$/],
    [runRealmwatch(["config", "validate", join(folder, "none.cue")], { env }), 1, /^$/],
  ];
  for (const [ending, code, message] of cases) {
    const { code: got, stderr } = await ending;
    assert.equal(got, code, stderr);
    assert.match(stderr, message);
  }
  writeFileSync(path, "hosts: 1\n");
  const broken = await runRealmwatch(["config", "validate", path], { env });
  assert.equal(broken.code, 1);
  assert.match(broken.stdout, new RegExp(`^${path}:1:\\d+: `));
});

/** Examples of a page's console blocks: a command, and its output if shown. */
function examplesOf(page: string): { command: string; shown: string }[] {
  const blocks = [...read(page).text.matchAll(/^```console\n([\s\S]*?)^```/gm)].map((match) => match[1] as string);
  return blocks.flatMap((block) =>
    block
      .split(/^\$ /m)
      .filter(Boolean)
      .map((each) => {
        const [command = "", ...shown] = each.split("\n");
        return { command, shown: shown.join("\n") };
      }),
  );
}

test("the examples of docs/reference/cli.md run, with the output they show", async (t) => {
  const { env } = await startGuarded(t);
  const folder = tempFolder(t);
  const [, office = ""] = /^```cue\n([\s\S]*?)^```/m.exec(read("docs/reference/cli.md").text) ?? [];
  writeFileSync(join(folder, "office.cue"), office);
  const shim = join(folder, "realmwatch");
  writeFileSync(shim, `#!/bin/sh\nexec ${cliProgram.join(" ")} "$@"\n`);
  chmodSync(shim, 0o755);
  const path = { PATH: `${folder}:${process.env["PATH"]}` };
  const examples = examplesOf("docs/reference/cli.md");
  assert.ok(examples.length > 15);
  for (const { command, shown } of examples) {
    const ended = await runToEnd(["/bin/sh", "-c", command], { env: { ...env, ...path }, cwd: folder });
    assert.equal(ended.code, 0, `${command}\n${ended.stderr}`);
    if (shown !== "") assert.equal(ended.stdout, shown, command);
  }

  const span = "-from 2020-01-01T00:00:00Z -to 2029-12-01T00:00:00Z";
  const many = `realmwatch config period office.cue office ${span} | head -1`;
  const left = await runToEnd(["/bin/sh", "-c", many], { env: { ...env, ...path }, cwd: folder });
  assert.match(left.stdout, /^OPEN/);
  assert.equal(left.stderr, "", "a closed pipe is no error");
});
