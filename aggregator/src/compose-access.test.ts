import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { after, test } from "node:test";
import { builtProgram } from "@realmwatch/shared/platform/testing/built-program.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { callAggregator, listStatus, openAggregatorEnvironment, web1Target } from "./compose.fixture.ts";

const { nats, calls, url, document, openRealm, start } = await openAggregatorEnvironment(after);

test("[FD101] without Redis the read model is in memory; identities, roles and authors; no lag of an unseen realm", {
  timeout: 60_000,
}, async () => {
  const realms = document("memory.cue", `realms: {fra: {url: "${url}"}, ams: {}}`);
  const hash = (token: string) => `sha256:${createHash("sha256").update(token).digest("hex")}`;
  const auth = document(
    "auth.cue",
    `auth: {ann: {role: "operator", token_hash: "${hash("tok-ann")}"}, bob: {role: "viewer", token_hash: "${hash("tok-bob")}"}}`,
  );
  const on = await start(realms, ["-auth-config", auth]);
  const fra = openRealm("fra", 3_000);
  fra.live();
  await fra.put("web1");
  await fra.complete();
  await until("a row of fra", async () =>
    ((await listStatus(on, "tok-bob")).rows ?? []).some(({ realm }) => realm === "fra"),
  );
  await until(
    "fra is reachable",
    async () => (await listStatus(on, "tok-bob")).realms?.find((realm) => realm.name === "fra")?.reachable === true,
  );
  const metrics = await (await fetch(`${on.base}/metrics`)).text();
  const realmsWithLag = [...metrics.matchAll(/^realmwatch_realm_lag_seconds\{realm="(\w+)"\}/gm)].map(
    ([, name]) => name,
  );
  assert.deepEqual(realmsWithLag, ["fra"], "a realm that was never seen has no known lag");
  assert.equal((await listStatus(on)).code, "unauthenticated");
  const request = { web1Target, author: "mallory", comment: "mine" };
  assert.equal(
    (await callAggregator(on, "RealmCommandService/AcknowledgeProblem", { realm: "fra", request }, "tok-bob")).code,
    "permission_denied",
  );
  assert.equal(
    (await callAggregator(on, "RealmCommandService/AcknowledgeProblem", { realm: "fra", request }, "tok-ann")).http,
    200,
  );
  assert.deepEqual(calls.at(-1), { authorization: null, author: "ann", comment: "mine" });
  assert.equal((await callAggregator(on, "RealmAdminService/GetConfig", {}, "tok-ann")).code, "permission_denied");
  fra.die();
  assert.equal(await on.stop("SIGINT"), 0);
});

test("-read-only mounts no commands, and -api-token restricts them", { timeout: 60_000 }, async () => {
  const realms = document("gates.cue", "realms: fra: {}");
  const [readOnly, gated] = await Promise.all([
    start(realms, ["-read-only"]),
    start(realms, ["-api-token", "tok-api"]),
  ]);
  for (const service of [
    "RealmCommandService/ScheduleCheck",
    "RealmBulkService/Execute",
    "RealmAdminService/GetConfig",
  ])
    assert.equal((await callAggregator(readOnly, service)).http, 404, service);
  assert.equal(
    (await callAggregator(gated, "RealmCommandService/ScheduleCheck", { realm: "x" })).code,
    "unauthenticated",
  );
  assert.equal(
    (await callAggregator(gated, "RealmCommandService/ScheduleCheck", { realm: "x" }, "tok-api")).code,
    "not_found",
  );
  await until("reads are served", async () => (await listStatus(gated)).http === 200);
  await Promise.all([readOnly.stop(), gated.stop()]);
});

test("[IN12] a missing token, a broken document and a missing flag stop the start with a message", {
  timeout: 60_000,
}, async () => {
  const cases: [flags: string[], code: number, said: RegExp][] = [
    [
      ["-realms-config", document("token.cue", 'realms: fra: {token_env: "NOT_THERE"}')],
      1,
      /realm "fra": token_env: environment variable NOT_THERE holds no token/,
    ],
    [
      ["-realms-config", document("broken.cue", "realms: {\n  fra: {ur: 1}\n}\n")],
      1,
      /broken\.cue:2:13: realm "fra": ur is not a known field; the nearest one is "url"/,
    ],
    [[], 2, /-realms-config is needed/],
  ];
  await Promise.all(
    cases.map(async ([flags, code, expected]) => {
      const [node = "", ...args] = builtProgram("aggregator");
      const child = spawn(node, [...args, "-nats-url", nats.url, ...flags], {
        stdio: ["ignore", "ignore", "pipe"],
      });
      let said = "";
      child.stderr.on("data", (data) => {
        said += data;
      });
      assert.equal(await new Promise((resolve) => child.once("exit", resolve)), code, said);
      assert.match(said, expected);
    }),
  );
});
