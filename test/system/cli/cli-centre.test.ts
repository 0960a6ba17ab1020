import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../../run/call.ts";
import { outputOf, runRealmwatch } from "../../run/cli.ts";
import { startNats, startTcpTarget, startTestAgent, startTestAggregator, tempFolder } from "../../run/processes.ts";
import { realmStates, statusRows } from "../../run/rows.ts";
import { smallRealm } from "../../run/small-realm.ts";

// The command line with an aggregator: queries of all realms, and commands to one realm.

/** Tokens of the aggregator at a realm, and of an admin at the aggregator. */
const tokens = { centre: "a-token-of-the-centre-0123456789abcdef", bea: "a-token-of-bea-0123456789abcdef" };
const bearer = (name: keyof typeof tokens) => ({ authorization: `Bearer ${tokens[name]}` });

/** Writes an authentication document with one admin. */
function authFile(scope: TestScope, name: keyof typeof tokens): string {
  const file = join(tempFolder(scope), "auth.cue");
  const digest = createHash("sha256").update(tokens[name]).digest("hex");
  writeFileSync(file, `auth: ${name}: {role: "admin", token_hash: "sha256:${digest}"}\n`);
  return file;
}

const ops = `contacts: ann: {type: "webhook", url: "http://127.0.0.1:9/"}
notifications: ops: levels: [{contacts: ["ann"]}]
`;
const document = (address: string): string =>
  smallRealm(address, ops).replaceAll("\t\thttp: check:", `\t\thttp: notification: "ops"\n\t\thttp: check:`);

/**
 * Starts an aggregator over realm `fra`, which authenticates its callers, and realm `ams`, which does not.
 *
 * @param guarded true to authenticate callers at the aggregator, which configuration commands require
 */
async function startCentre(scope: TestScope, guarded: boolean) {
  const [nats, target] = await Promise.all([startNats(scope), startTcpTarget(scope)]);
  const flags = { "nats-url": nats.url };
  const config = document(target.address);
  const [fra, ams] = await Promise.all([
    startTestAgent(scope, { config, realm: "fra", flags: { ...flags, "auth-config": authFile(scope, "centre") } }),
    startTestAgent(scope, { config, realm: "ams", flags }),
  ]);
  const realms = `realms: {
	fra: {url: "${fra.base}", token_env: "FRA_TOKEN"}
	ams: {url: "${ams.base}", description: "Amsterdam"}
}
`;
  const centre = await startTestAggregator(scope, {
    realms,
    flags: { ...flags, ...(guarded ? { "auth-config": authFile(scope, "bea") } : {}) },
    env: { FRA_TOKEN: tokens.centre },
  });
  const headers = guarded ? bearer("bea") : {};
  await until("both realms are ok and current", async () => {
    const [rows, known] = [
      Object.values(await statusRows(centre.base, {}, headers)),
      await realmStates(centre.base, headers),
    ];
    const okCount = rows.filter(({ status }) => status === "STATUS_OK").length;
    const isCurrent = ["fra", "ams"].every((name) => known[name]?.freshness === "REALM_FRESHNESS_CURRENT");
    return rows.length === 6 && okCount === 4 && isCurrent;
  });
  const caller = guarded ? { REALMWATCH_TOKEN: tokens.bea } : { REALMWATCH_AUTHOR: "bea" };
  const env: Record<string, string> = { REALMWATCH_SERVER: centre.base, ...caller, NO_COLOR: "1" };
  return { target, fra, ams, centre, env, served: config };
}

test("queries of all realms, and commands to the named one", async (t) => {
  const { target, fra, ams, centre, env } = await startCentre(t, false);
  const rowOf = async (ref: string) => (await statusRows(centre.base))[ref];

  await t.test("status and realms", async () => {
    assert.match(await outputOf(["status"], env), /^REALM +STATUS +OBJECT/);
    assert.match(await outputOf(["realms"], env), /\nams +yes .* Amsterdam\n/);
    assert.equal(await outputOf(["status", "-q", "-realm", "ams", "-search", "job"], env), "web1!job\n");
  });

  await t.test("a command requires an existing realm", async () => {
    const withoutRealm = await runRealmwatch(["comment", "add", "web1", "hello"], { env });
    const several = "realmwatch: web1 is in several realms: choose one with -target-realm: ams, fra\n";
    assert.deepEqual([withoutRealm.code, withoutRealm.stderr], [2, several]);
    const program = await runRealmwatch(["toggle", "program", "notifications", "on"], { env });
    const needed = `realmwatch: ${centre.base} is an aggregator: -target-realm is required, one of ams, fra\n`;
    assert.deepEqual([program.code, program.stderr], [2, needed]);
    const unknown = await runRealmwatch(["comment", "add", "web1", "hello", "-target-realm", "mars"], { env });
    assert.equal(unknown.code, 1);
    assert.equal(unknown.stderr, `realmwatch: ${centre.base} has no realm "mars"; it has ams, fra\n`);
    const queried = await runRealmwatch(["status", "-realm", "mars"], { env });
    assert.deepEqual([queried.code, queried.stderr], [1, unknown.stderr]);
    await outputOf(["check", "-selector", "@name=web1"], env);
    assert.match(await outputOf(["status", "-as-plugin", "@name=http"], env), /^OK: 0 unhandled problems among 2 /);
    const config = await runRealmwatch(["config", "get", "-target-realm", "fra"], { env });
    assert.equal(config.code, 1);
    assert.match(config.stderr, /does not offer RealmAdminService: it has no -auth-config, or is -read-only\n$/);
  });

  await t.test(
    "[TG4, TG6] a contact is muted in one realm, and the aggregator shows its author, end and reason",
    async () => {
      const toFra = { ...env, REALMWATCH_TARGET_REALM: "fra" };
      const mutes = async (): Promise<Readonly<Record<string, unknown>>> => {
        const { body } = await call(centre.base, "QueryService/ListContacts");
        const contacts = body["contacts"] as Readonly<Record<string, string>>[];
        return Object.fromEntries(
          contacts.map(({ realm, mutedBy, onBehalfOf, mutedComment, mutedUntil }) => [
            realm,
            mutedBy && [mutedBy, onBehalfOf, mutedComment, mutedUntil !== undefined],
          ]),
        );
      };
      const muted = await outputOf(["toggle", "contact", "ann", "off", "-comment", "ill", "-until", "4h"], toFra);
      assert.match(muted, /^notifications of ann: off until .*\nann is the only contact left of 1 policy \(1 object\)/);
      const shown = await until("the mute at the aggregator", async () => {
        const all = await mutes();
        return all["fra"] !== undefined && all;
      });
      assert.deepEqual(shown, { ams: undefined, fra: ["centre", "bea", "ill", true] });
      const history = await outputOf(["history", "-contact", "ann", "-type", "toggle"], env);
      assert.match(history, / by bea \(through centre\): ill; notifications of contact ann off until /);
      await outputOf(["toggle", "contact", "ann", "on"], toFra);
      await until("no mute at the aggregator", async () => (await mutes())["fra"] === undefined);
    },
  );

  await t.test("comments and downtimes take effect in their realm only", async () => {
    const toAms = { ...env, REALMWATCH_TARGET_REALM: "ams" };
    const id = (await outputOf(["comment", "add", "web1", "hello", "-quiet"], toAms)).trim();
    const [comment] = await until("the comment", async () => {
      const comments = (await statusRows(ams.base))["web1"]?.comments ?? [];
      return comments.length > 0 && comments;
    });
    assert.deepEqual([comment?.author, comment?.text], ["bea", "hello"]);
    assert.deepEqual((await statusRows(fra.base, {}, bearer("centre")))["web1"]?.comments ?? [], []);
    await outputOf(["comment", "rm", id], toAms);
    const { downtimeIds } = JSON.parse(
      await outputOf(["downtime", "add", "web1", "-for", "1h", "-comment", "x", "-output=json"], toAms),
    );
    await until("the downtime at the aggregator", async () => {
      return (await outputOf(["downtime", "list", "-q"], toAms)) === `${downtimeIds[0]}\n`;
    });
    assert.equal(await outputOf(["downtime", "list", "-q", "-realm", "fra"], toAms), "");
  });

  await t.test("a problem in both realms is explained and acknowledged in one", async () => {
    await target.close();
    await until("a hard problem in both", async () => {
      const rows = await statusRows(centre.base, { selector: "@name=http" });
      return Object.values(rows).every(({ status, stateType }) => `${status} ${stateType}`.match(/CRITICAL.*HARD/));
    });
    const several = await runRealmwatch(["explain", "web1!http"], { env });
    assert.equal(several.code, 2);
    assert.match(several.stderr, /is in several realms: choose one with -target-realm: ams, fra\n$/);
    // The host is down too, so that the service's own problem is not notified.
    const why = await until("the reason", async () => {
      const text = await outputOf(["explain", "web1!http", "-target-realm", "fra"], env);
      return text.includes("its host") && text;
    });
    assert.match(why, /CRITICAL/);

    assert.match(
      await outputOf(["ack", "web1!http", "-target-realm", "fra", "-comment", "on it", "-sticky"], env),
      /^acknowledged web1!http\n$/,
    );
    const row = await until("the acknowledgement", async () => {
      const found = await rowOf("fra/web1!http");
      return found?.acknowledgement && found;
    });
    const { author, onBehalfOf, comment, sticky } = row.acknowledgement ?? {};
    assert.deepEqual([author, onBehalfOf, comment, sticky], ["centre", "bea", "on it", true]);
    assert.equal((await rowOf("ams/web1!http"))?.acknowledgement, undefined);

    const records = async (...args: string[]) =>
      JSON.parse(await outputOf(["history", "web1!http", "-type", "acknowledged", "-output=json", ...args], env))
        .records;
    const [record] = await until("its record", async () => {
      const found = await records();
      return found?.length === 1 && found;
    });
    assert.deepEqual([record.realm, record.author, record.onBehalfOf], ["fra", "centre", "bea"]);
    assert.equal(await records("-target-realm", "ams"), undefined);
    assert.match(await outputOf(["history", "-realm", "fra", "-type", "acknowledged"], env), /acknowledged .*on it/);

    await outputOf(["ack", "remove", "web1!http", "-target-realm", "fra"], env);
    await until(
      "the acknowledgement is removed",
      async () => (await rowOf("fra/web1!http"))?.acknowledgement === undefined,
    );
    await target.open();
  });
});

test("configuration of the named realm: get, validate, diff, apply", async (t) => {
  const { fra, ams, centre, env, served } = await startCentre(t, true);
  const folder = tempFolder(t);
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const toFra = ["-target-realm", "fra"];

  const withoutRealm = await runRealmwatch(["config", "get"], { env });
  assert.deepEqual([withoutRealm.code, withoutRealm.stdout], [2, ""]);
  assert.match(withoutRealm.stderr, /is an aggregator: -target-realm is required, one of ams, fra\n$/);
  assert.equal(await outputOf(["config", "get", ...toFra], env), served);
  const copy = join(folder, "served.cue");
  await outputOf(["config", "get", "-out", copy, ...toFra], env);
  assert.equal(readFileSync(copy, "utf8"), served);

  const next = file("next.cue", served.replace(/\t\tjob:.*\n/, "").replace('"prod"', '"test"'));
  assert.match(await outputOf(["config", "validate", next, ...toFra], env), /^the configuration holds: 1 host/);
  assert.match(
    await outputOf(["config", "diff", copy, ...toFra], env),
    /served\.cue does not differ from the document of http:.*\n$/,
  );
  const diff = await outputOf(["config", "diff", next, ...toFra], env);
  assert.match(diff, /\n-\tlabels: \{env: "prod"\}\n\+\tlabels: \{env: "test"\}\n/);

  const broken = file("broken.cue", served.replace('"1h"', '"1 hour"'));
  const refused = await runRealmwatch(["config", "apply", broken, "-yes", ...toFra], { env });
  assert.deepEqual([refused.code, refused.stdout], [1, ""]);
  assert.match(refused.stderr, /^\S*\/broken\.cue:\d+:\d+: .*1 hour/);

  await outputOf(["comment", "add", "web1!job", "keep an eye on it", ...toFra], env);
  await until(
    "the comment",
    async () => (await statusRows(centre.base, {}, bearer("bea")))["fra/web1!job"]?.comments?.length === 1,
  );
  const unconfirmed = await runRealmwatch(["config", "apply", next, ...toFra], { env });
  assert.equal(unconfirmed.code, 2);
  assert.match(unconfirmed.stderr, /\n {2}- web1!job\n/);
  assert.match(
    unconfirmed.stderr,
    /is removed, and with it the comment of "centre"(?: on behalf of "bea")?: "keep an eye on it"/,
  );
  assert.match(unconfirmed.stderr, /nothing was applied: -yes is required without a terminal\n$/);

  const applied = await runRealmwatch(["config", "apply", next, "-yes", ...toFra], { env });
  assert.deepEqual([applied.code, applied.stdout], [0, `${centre.base} now runs on ${next}\n`], applied.stderr);
  await until("the new document's objects", async () => {
    return (await outputOf(["status", "-q", "env=test", "-sort", "name"], env)) === "web1\nweb1!http\n";
  });
  assert.equal(Object.keys(await statusRows(ams.base)).length, 3, "the other realm is unchanged");
  assert.match(await outputOf(["config", "apply", next, ...toFra], env), /already runs on \S*\n$/);

  await fra.stop();
  const unreachable = await runRealmwatch(["config", "get", ...toFra], { env });
  assert.deepEqual([unreachable.code, unreachable.stdout], [1, ""]);
  assert.match(unreachable.stderr, /^realmwatch: .*realm "?fra"?.* \(unavailable\)\n$/);
});
