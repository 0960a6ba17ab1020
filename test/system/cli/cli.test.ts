import assert from "node:assert/strict";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { read } from "../../architecture/sources.ts";
import { cliProgram, outputOf, runRealmwatch, runToEnd } from "../../run/cli.ts";
import { tempFolder } from "../../run/processes.ts";
import { startGuarded } from "./guarded-agent.ts";

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
    assert.match(
      await outputOf(["downtime", "list", "-active"], env),
      /[0-9a-z]+ +3 objects +in effect .* fixed +ann +disks/,
    );
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
  assert.equal(left.stderr, "", "a closed pipe is not an error");
});
