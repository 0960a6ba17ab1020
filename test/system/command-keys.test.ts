import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { test } from "node:test";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../run/call.ts";
import { openFaultProxy } from "../run/fault-proxy.ts";
import { startTcpTarget, startTestAgent, tempFolder } from "../run/processes.ts";
import { serviceTarget, statusRows } from "../run/rows.ts";
import { smallRealm } from "../run/small-realm.ts";

const job = serviceTarget("web1", "job");
const comment = (text: string) => ({ target: job, author: "ann", text });
const keyed = (key: string) => ({ "idempotency-key": key });
const commentsAt = async (base: string, headers = {}) =>
  ((await statusRows(base, {}, headers))["web1!job"]?.comments ?? []).map(({ text }) => text);

test("[FD20-FD24] a realm executes a command once for each key, over JSON and gRPC, restarts and kill -9", async (t) => {
  const target = await startTcpTarget(t);
  const agent = await startTestAgent(t, { config: smallRealm(target.address), realm: "fra" });
  const add = (text: string, key: string) => call(agent.base, "CommandService/AddComment", comment(text), keyed(key));

  await t.test("[FD21] eight calls at a time, and one by gRPC, add one comment", async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => add("one", "k1")));
    const ids = new Set(answers.map(({ body }) => body["commentId"]));
    assert.deepEqual([ids.size, answers.every(({ ok }) => ok)], [1, true]);
    const grpc = createClient(CommandService, createGrpcTransport({ baseUrl: agent.base }));
    const target = {
      target: { case: "object", value: { ref: { case: "service", value: { host: "web1", name: "job" } } } },
    } as const;
    const again = await grpc.addComment({ target, author: "ann", text: "one" }, { headers: keyed("k1") });
    assert.ok(ids.has(again.commentId));
    await until("one comment", async () => (await commentsAt(agent.base)).length === 1);
  });

  await t.test("[FD23] the key with another request is invalid_argument; without a key each call counts", async () => {
    const other = await add("two", "k1");
    assert.deepEqual([other.code, /idempotency-key/.test(other.message)], ["invalid_argument", true]);
    const check = await call(agent.base, "CommandService/ScheduleCheck", { target: job }, keyed("k1"));
    assert.equal(check.code, "invalid_argument");
  });

  await t.test("[FD20] a key of no or 129 characters is invalid_argument", async () => {
    for (const key of ["", "x".repeat(129)]) assert.equal((await add("bad", key)).code, "invalid_argument", key);
    assert.equal((await add("longest", "x".repeat(128))).ok, true);
  });

  await t.test("[FD22] a refusal for good is answered again, although the request would succeed by then", async () => {
    const gone = { commentId: (await add("gone", "k2")).body["commentId"] };
    const remove = (key: string) => call(agent.base, "CommandService/DeleteComment", gone, keyed(key));
    const [first, second] = [await remove("k3"), await remove("k4")];
    assert.deepEqual([first.ok, second.code], [true, "not_found"]);
    assert.deepEqual([(await remove("k3")).ok, (await remove("k4")).message], [true, second.message]);
  });

  await t.test("[FD21] batches and downtimes: the same ids after kill -9 right after the answer", async () => {
    const spans = { start: new Date(Date.now() + 3_600_000), end: new Date(Date.now() + 7_200_000) };
    const request = { target: { selector: "env=prod" }, author: "ann", ...spans };
    const batch = { results: [1, 2].map((n) => ({ object: job.object, status: "STATUS_OK", output: `${n}` })) };
    const sent = () =>
      Promise.all([
        call(agent.base, "CommandService/ScheduleDowntime", request, keyed("k5")),
        call(agent.base, "CommandService/ProcessCheckResults", batch, keyed("k6")),
      ]);
    const before = await sent();
    await agent.stop("SIGKILL");
    await agent.restart();
    const after = await sent();
    assert.deepEqual(
      after.map(({ ok, body }) => [ok, body]),
      before.map(({ ok, body }) => [ok, body]),
    );
    const downtimes = (await statusRows(agent.base))["web1!http"]?.downtimes ?? [];
    assert.equal(downtimes.length, 1);
    assert.equal((await add("one", "k1")).ok, true);
    assert.deepEqual((await commentsAt(agent.base)).sort(), ["longest", "one"]);
  });
});

test("[FD21] keys belong to identities, and a repeat is audited once", async (t) => {
  const target = await startTcpTarget(t);
  const auth = `${tempFolder(t)}/auth.cue`;
  const tokens = { ann: "a-token-of-ann-0123456789abcdefghij", ben: "a-token-of-ben-0123456789abcdefghij" };
  const entries = Object.entries(tokens).map(
    ([name, token]) =>
      `auth: ${name}: {role: "admin", token_hash: "sha256:${createHash("sha256").update(token).digest("hex")}"}\n`,
  );
  writeFileSync(auth, entries.join(""));
  const config = smallRealm(target.address);
  const agent = await startTestAgent(t, { config, realm: "fra", flags: { "auth-config": auth } });
  const as = (name: keyof typeof tokens) => ({ authorization: `Bearer ${tokens[name]}` });
  const add = (name: keyof typeof tokens, text: string) =>
    call(agent.base, "CommandService/AddComment", comment(text), { ...keyed("k1"), ...as(name) });
  const [first, again, other] = [await add("ann", "one"), await add("ann", "one"), await add("ben", "two")];
  assert.equal(first.body["commentId"], again.body["commentId"]);
  assert.equal(other.ok, true);
  const { body } = await call(agent.base, "AdminService/ListAuditRecords", {}, as("ann"));
  const rpcs = (body["records"] as { rpc: string }[]).filter(({ rpc }) => rpc.endsWith("AddComment"));
  assert.equal(rpcs.length, 2);
});

test("[FD25] a realm drops a call that arrives after its deadline, and executes nothing", async (t) => {
  const target = await startTcpTarget(t);
  const agent = await startTestAgent(t, { config: smallRealm(target.address), realm: "fra" });
  const proxy = await openFaultProxy(t, agent.port);
  const add = (text: string, atMs: number, base = proxy.base) =>
    call(base, "CommandService/AddComment", comment(text), { "x-realmwatch-deadline": String(atMs) });
  assert.equal((await add("in time", Date.now() + 600_000, agent.base)).ok, true);
  proxy.fates.push("hold");
  const deadlineAtMs = Date.now() + 300;
  const late = add("late", deadlineAtMs);
  await until("the call is held beyond its deadline", () => proxy.held() === 1 && Date.now() > deadlineAtMs);
  proxy.release();
  const { code, message } = await late;
  assert.deepEqual([code, message], ["deadline_exceeded", "the call arrived after its deadline and was not executed"]);
  const malformed = await call(agent.base, "CommandService/AddComment", comment("x"), {
    "x-realmwatch-deadline": "soon",
  });
  assert.equal(malformed.code, "invalid_argument");
  await until("one comment", async () => (await commentsAt(agent.base)).length === 1);
  assert.deepEqual(await commentsAt(agent.base), ["in time"]);
});
