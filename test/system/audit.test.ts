import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../run/call.ts";
import { runRealmwatch } from "../run/cli.ts";
import { startTestAgent, tempFolder } from "../run/processes.ts";
import { hostTarget } from "../run/rows.ts";

const config = `hosts: web1: {address: "a", check: {type: "passive", freshness_threshold: "1h", max_attempts: 1, flap: {}}}\n`;
const tokens = { admin: "an-admins-token-0123456789abcdef", viewer: "a-viewers-token-0123456789abcdef" };

type Record = {
  readonly rpc: string;
  readonly outcome: string;
  readonly source: string;
  readonly principal?: { readonly name: string; readonly role: string };
  readonly peer: string;
  readonly commandJson?: string;
  readonly requestId: string;
  readonly onBehalfOf?: string;
  readonly reason?: string;
  readonly count: number;
};

async function startGuarded(scope: TestScope) {
  const auth = join(tempFolder(scope), "auth.cue");
  const digest = (token: string) => createHash("sha256").update(token).digest("hex");
  writeFileSync(
    auth,
    `auth: ann: {role: "admin", token_hash: "sha256:${digest(tokens.admin)}"}
auth: vic: {role: "viewer", token_hash: "sha256:${digest(tokens.viewer)}"}\n`,
  );
  const agent = await startTestAgent(scope, { config, flags: { "auth-config": auth } });
  const as = (token: string) => ({ authorization: `Bearer ${token}` });
  return {
    agent,
    admin: as(tokens.admin),
    viewer: as(tokens.viewer),
    async records(request: object = {}): Promise<Record[]> {
      const answer = await call(agent.base, "AdminService/ListAuditRecords", request, as(tokens.admin));
      assert.equal(answer.ok, true, answer.message);
      return (answer.body["records"] ?? []) as Record[];
    },
  };
}

test("[AU1, AU2, AU8, AU9] every command has one record with its outcome, reads have none, and all survive kill -9", async (t) => {
  const { agent, admin, viewer, records } = await startGuarded(t);
  const comment = (text: string) => ({ target: hostTarget("web1"), author: "bob", text });
  const add = (text: string, headers: { [name: string]: string }) =>
    call(agent.base, "CommandService/AddComment", comment(text), headers);
  assert.equal((await add("kept", { ...admin, "x-request-id": "ticket-7" })).ok, true);
  assert.equal((await call(agent.base, "CommandService/DeleteComment", { commentId: "x" }, admin)).code, "not_found");
  assert.equal((await add("no role", viewer)).code, "permission_denied");
  assert.equal((await add("nobody", {})).code, "unauthenticated");
  assert.equal((await call(agent.base, "CommandService/AddComment", "{", admin)).code, "invalid_argument");
  assert.equal((await call(agent.base, "AdminService/ApplyConfig", { cue: config }, admin)).ok, true);
  assert.equal((await call(agent.base, "AdminService/ApplyConfig", { cue: "nonsense: 1" }, admin)).ok, false);
  await call(agent.base, "QueryService/ListStatus", {}, admin);
  await call(agent.base, "AuthService/Login", { user: "ann", password: "a-canary" });
  const all = await until("all records are there", async () => {
    const all = await records();
    return all.length === 8 && all;
  });
  assert.deepEqual(
    all.map(({ rpc, outcome }) => `${rpc.split("/").at(-1)} ${outcome.replace("AUDIT_OUTCOME_", "")}`).sort(),
    [
      "AddComment ACCEPTED",
      "AddComment DENIED",
      "AddComment DENIED",
      "AddComment REJECTED",
      "ApplyConfig ACCEPTED",
      "ApplyConfig REJECTED",
      "DeleteComment REJECTED",
      "Login DENIED",
    ],
  );
  const denied = all.filter(({ outcome }) => outcome === "AUDIT_OUTCOME_DENIED");
  assert.deepEqual(
    denied.flatMap(({ principal }) => principal ?? []),
    [{ name: "vic", role: "ROLE_VIEWER" }],
    "a denied call of an identity names it",
  );
  const accepted = all.find(({ requestId }) => requestId === "ticket-7");
  assert.deepEqual(accepted?.principal, { name: "ann", role: "ROLE_ADMIN" });
  assert.deepEqual(
    [accepted?.rpc, accepted?.source, accepted?.peer, accepted?.onBehalfOf, accepted?.count],
    ["/svc.v1.CommandService/AddComment", "AUDIT_SOURCE_API", "127.0.0.1", "bob", 1],
  );
  assert.equal(JSON.parse(accepted?.commandJson ?? "").text, "kept");
  assert.ok(!JSON.stringify(all).includes("a-canary"));
  assert.deepEqual((await records({ limit: 2 })).length, 2);
  for (const limit of [0, -1, 1001, 2 ** 31 - 1, 2 ** 31, 1e12, "many"])
    assert.equal((await records({ limit })).length, 8);
  assert.equal((await records({ since: "yesterday", limit: 3 })).length, 3);
  for (const text of ["", "{", "[]", '{"cue":5}'])
    assert.equal((await call(agent.base, "AdminService/GetConfig", text, admin)).body["cue"], config, text);
  assert.deepEqual(await records({ since: "2999-01-01T00:00:00Z" }), []);
  await agent.stop("SIGKILL");
  await agent.restart();
  assert.deepEqual(await records(), all);

  const env = { REALMWATCH_SERVER: agent.base, REALMWATCH_TOKEN: tokens.admin, NO_COLOR: "1" };
  const listed = await runRealmwatch(["audit", "-limit", "5"], { env });
  assert.deepEqual([listed.code, listed.stderr, listed.stdout.trim().split("\n").length], [0, "", 6]);
  const verified = await runRealmwatch(["audit", "verify", "-data-dir", agent.dataDir], { env });
  assert.deepEqual([verified.code, verified.stderr], [0, ""]);
  assert.match(verified.stdout, /the audit log is intact: 8 records/);
  const nowhere = await runRealmwatch(["audit", "verify", "-data-dir", tempFolder(t)], { env });
  assert.equal(nowhere.code, 1);
  assert.match(nowhere.stderr, /holds no audit log/);
});
