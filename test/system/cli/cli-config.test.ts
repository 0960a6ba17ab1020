import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { outputOf, runRealmwatch } from "../../run/cli.ts";
import { tempFolder } from "../../run/processes.ts";
import { guardedDocument, startGuarded } from "./guarded-agent.ts";

test("configuration of an agent: get, diff, a refused and an applied document", async (t) => {
  const { target, env } = await startGuarded(t);
  const folder = tempFolder(t);
  const file = (name: string, text?: string): string => {
    const path = join(folder, name);
    if (text !== undefined) writeFileSync(path, text);
    return path;
  };
  const served = guardedDocument(target.address);
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
    [period("office", "-from=monday"), 2, /-from: "monday" is not an instant/],
    [period("office", "-from=2026-10-28T00:00:00Z"), 2, /-to must be after -from\n$/],
    [period("office", "-from=2001-10-28T00:00:00Z"), 2, /more than ten years/],
    [period("office"), 2, /flag -from is required\nUsage: .*\n$/],
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
