import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../run/call.ts";
import { runRealmwatch } from "../run/cli.ts";
import { startNats, startTestAgent, startTestAggregator, tempFolder } from "../run/processes.ts";
import { hostTarget } from "../run/rows.ts";

const passive = `check: {type: "passive", freshness_threshold: "1h", max_attempts: 1, flap: {}}`;
const config = `hosts: web1: {address: "a", ${passive}}\n`;
const changed = `${config}hosts: web2: {address: "b", ${passive}}\n`;
const token = "an-admins-token-0123456789abcdef";
const realmToken = "a-realms-token-0123456789abcdefg";
const admin = { authorization: `Bearer ${token}` };
const digest = (text: string) => createHash("sha256").update(text).digest("hex");

type Found = {
  readonly rpc: string;
  readonly outcome: string;
  readonly requestId: string;
  readonly commandJson?: string;
};
const records = async (base: string, headers: object): Promise<Found[]> => {
  const answer = await call(base, "AdminService/ListAuditRecords", {}, headers as Record<string, string>);
  assert.equal(answer.ok, true, answer.message);
  return (answer.body["records"] ?? []) as Found[];
};

test("[AU10, AU5] an aggregator audits forwarded calls with the request ids of the realm's audit, and kill -9 loses no record", async (t) => {
  const nats = await startNats(t);
  const folder = tempFolder(t, "auth");
  const [realmAuth, auth] = [join(folder, "realm.cue"), join(folder, "auth.cue")];
  writeFileSync(realmAuth, `auth: centre: {role: "admin", token_hash: "sha256:${digest(realmToken)}"}\n`);
  writeFileSync(auth, `auth: ann: {role: "admin", token_hash: "sha256:${digest(token)}"}\n`);
  const flags = { "nats-url": nats.url };
  const agent = await startTestAgent(t, { config, realm: "fra", flags: { ...flags, "auth-config": realmAuth } });
  const aggregator = await startTestAggregator(t, {
    realms: `realms: fra: {url: "${agent.base}", token_env: "FRA_TOKEN"}\n`,
    flags: { ...flags, "auth-config": auth },
    env: { FRA_TOKEN: realmToken },
  });
  const callAs = (rpc: string, request: object, id: string, headers: object = admin) =>
    call(aggregator.base, rpc, request, { ...headers, "x-request-id": id });
  const untilReachable = () =>
    until("the realm is reachable", async () => {
      const status = await call(aggregator.base, "QueryService/ListStatus", {}, admin);
      const realms = (status.body["realms"] ?? []) as { reachable?: boolean }[];
      return realms[0]?.reachable === true;
    });
  await untilReachable();
  const comment = { target: hostTarget("web1"), author: "bob", text: "through the centre" };
  const forwarded = await callAs("RealmCommandService/AddComment", { realm: "fra", request: comment }, "ticket-1");
  assert.equal(forwarded.ok, true, forwarded.message);
  const refused = { realm: "fra", request: { commentId: "no such" } };
  assert.equal((await callAs("RealmCommandService/DeleteComment", refused, "ticket-2")).code, "not_found");
  assert.equal(
    (await callAs("RealmCommandService/AddComment", { realm: "fra" }, "ticket-3", {})).code,
    "unauthenticated",
  );
  const applied = await callAs(
    "RealmAdminService/ApplyConfig",
    { realm: "fra", request: { cue: changed } },
    "ticket-4",
  );
  assert.equal(applied.ok, true, applied.message);
  assert.deepEqual(applied.body, {});
  await callAs("AuthService/Login", { user: "ann", password: "a-canary" }, "ticket-5");
  assert.equal((await callAs("AdminService/GetConfig", {}, "ticket-6")).code, "unimplemented");
  const find = async () =>
    (await records(aggregator.base, admin)).map(({ requestId, outcome }) => `${requestId} ${outcome}`);
  const expected = [
    "ticket-1 AUDIT_OUTCOME_ACCEPTED",
    "ticket-2 AUDIT_OUTCOME_REJECTED",
    "ticket-3 AUDIT_OUTCOME_DENIED",
    "ticket-4 AUDIT_OUTCOME_ACCEPTED",
    "ticket-5 AUDIT_OUTCOME_DENIED",
  ];
  await until("all records are there", async () => (await find()).length === expected.length);
  await aggregator.stop("SIGKILL");
  await aggregator.restart();
  await untilReachable();
  assert.deepEqual((await find()).sort(), expected);
  const atCentre = await records(aggregator.base, admin);
  assert.doesNotMatch(JSON.stringify(atCentre), /a-canary|freshness_threshold/);
  const inRealm = await records(agent.base, { authorization: `Bearer ${realmToken}` });
  // [AU12] The centre has the changes from the realm.
  const contentOf = (of: readonly Found[]) =>
    JSON.parse(of.find(({ requestId }) => requestId === "ticket-4")?.commandJson ?? "");
  const { cue, ...change } = contentOf(inRealm);
  assert.deepEqual(contentOf(atCentre), { ...change, realm: "fra", request: { cue } });
  assert.deepEqual([change.added, change.after], [1, `sha256:${digest(changed)}`]);
  assert.deepEqual(inRealm.map(({ requestId }) => requestId).sort(), ["ticket-1", "ticket-2", "ticket-4"]);
  const server = ["-server", aggregator.base, "-output", "json"];
  const listed = await runRealmwatch(["audit", ...server], { env: { REALMWATCH_TOKEN: token } });
  assert.match(listed.stdout, /ticket-5/, listed.stderr);
  const ofRealm = await runRealmwatch(["audit", ...server, "-target-realm", "fra"], {
    env: { REALMWATCH_TOKEN: token },
  });
  assert.match(ofRealm.stdout, /ticket-4/, ofRealm.stderr);
  assert.doesNotMatch(ofRealm.stdout, /ticket-5/);
  const verified = await runRealmwatch(["audit", "verify", "-data-dir", aggregator.dataDir]);
  assert.match(verified.stdout, /the audit log is intact: 5 records/);
});
