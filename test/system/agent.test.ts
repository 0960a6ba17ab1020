import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../run/call.ts";
import { spawnProgram, startTestAgent, tempFolder } from "../run/processes.ts";
import { hostTarget, sendCommand, serviceTarget, statusRows } from "../run/rows.ts";
import { smallAgentDocument, startSmallAgent } from "../run/small-agent.ts";

const http = serviceTarget("web1", "http");

test("[ST2, ST4, ST6, BP8] a service with a failed target is soft, then hard critical, and recovers", async (t) => {
  const { target, agent } = await startSmallAgent(t);
  await until("both are ok", async () => {
    const rows = await statusRows(agent.base);
    return rows["web1"]?.status === "STATUS_OK" && rows["web1!http"]?.status === "STATUS_OK";
  });
  await target.close();
  const seen = new Set<string>();
  await until("hard critical", async () => {
    const row = (await statusRows(agent.base))["web1!http"];
    if (row?.status === "STATUS_CRITICAL") seen.add(`${row.stateType} ${row.attempt}/${row.maxAttempts}`);
    return row?.status === "STATUS_CRITICAL" && row.stateType === "STATE_TYPE_HARD";
  });
  assert.ok(seen.has("STATE_TYPE_HARD 2/2"));
  const process = await until("the process follows", async () => {
    const row = (await statusRows(agent.base))["process:shop"];
    return row?.status === "STATUS_CRITICAL" && row;
  });
  assert.equal(process.stateType, "STATE_TYPE_HARD");
  await target.open();
  await until("ok again", async () => {
    const row = (await statusRows(agent.base))["web1!http"];
    return row?.status === "STATUS_OK" && row.attempt === 1 && row.stateType === "STATE_TYPE_HARD";
  });
  const history = await call(agent.base, "QueryService/ListHistory", {
    object: http.object,
    types: ["HISTORY_TYPE_STATE"],
  });
  const states = (history.body["records"] as { status: string; stateType: string }[]).map(
    ({ status, stateType }) => `${status} ${stateType}`,
  );
  assert.equal(states[0], "STATUS_OK STATE_TYPE_HARD");
  assert.ok(states.includes("STATUS_CRITICAL STATE_TYPE_HARD") || seen.size > 0);
});

test("[SC10] a requested check runs after a crash", async (t) => {
  const rarely = `check_interval: "24h", retry_interval: "12h", max_attempts: 2, flap: {}`;
  const agent = await startTestAgent(t, {
    config: `hosts: web1: {address: "a", check: {type: "tcp", address: "127.0.0.1:1", ${rarely}}}\n`,
  });
  await sendCommand(agent.base, "ScheduleCheck", { target: hostTarget("web1") });
  await agent.stop("SIGKILL");
  await agent.restart();
  await until("it was checked", async () => (await statusRows(agent.base))["web1"]?.lastCheck !== undefined);
});

test("-api-token protects commands and not queries; -read-only removes commands", async (t) => {
  const { agent } = await startSmallAgent(t, { "api-token": "a-token-for-this-test" });
  const request = { target: http, author: "ann", text: "x" };
  assert.equal((await call(agent.base, "CommandService/AddComment", request)).code, "unauthenticated");
  const bearer = { authorization: "Bearer a-token-for-this-test" };
  assert.equal((await call(agent.base, "CommandService/AddComment", request, bearer)).ok, true);
  assert.equal((await call(agent.base, "QueryService/ListStatus")).ok, true);
  await agent.restart({ "read-only": true });
  assert.equal((await call(agent.base, "CommandService/AddComment", request, bearer)).http, 404);
  assert.equal((await call(agent.base, "QueryService/GetServerInfo")).body["readOnly"], true);
});

/** Runs the agent to its end. */
async function runToEnd(words: readonly string[], env: Record<string, string> = {}) {
  const child = spawnProgram("agent", words, env);
  if (child.stdout === null || child.stderr === null) throw new TypeError("the agent's output is not piped");
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code: code as number, out, err };
}

test("-check-config prints each problem with its position and exits with 1; prints counts and exits with 0 for a valid document", async (t) => {
  const file = `${tempFolder(t)}/config.cue`;
  await writeFile(
    file,
    `hosts: web1: {\n\taddress: "a"\n\tcheck: {type: "ftp", flap: {}}\n\tservices: http: check: {type: "tcp", address: "127.0.0.1:1", max_attempts: 0, flap: {}}\n}\n`,
  );
  const broken = await runToEnd(["-check-config", "-config", file]);
  assert.equal(broken.code, 1);
  const lines = broken.out.trim().split("\n");
  assert.equal(lines.length, 2, broken.out + broken.err);
  assert.match(
    lines[0] ?? "",
    new RegExp(`^${file}:3:16: .*ftp.*command, dns, http, icmp, legacy, passive, snmp, tcp, tls, wasm`),
  );
  assert.match(lines[1] ?? "", new RegExp(`^${file}:4:\\d+: .*max_attempts`));
  await writeFile(file, smallAgentDocument("127.0.0.1:1"));
  const good = await runToEnd(["-check-config", "-config", file]);
  assert.deepEqual(
    [good.code, good.out.trim()],
    [0, "the configuration holds: 1 host, 2 services, 1 process"],
    good.err,
  );
});

test("[IN12] invalid flags are reported in one line, with exit code 2", async () => {
  const wrong: [words: string[], message: RegExp][] = [
    [["-nope"], /-nope/],
    [["-config", "x.cue", "-realm", "Not A Realm"], /-realm/],
    [["-config", "x.cue", "-listen", "nowhere"], /-listen/],
    [[], /-config/],
    [["-config", "x.cue", "-api-token", "t", "-auth-config", "y.cue"], /-api-token and -auth-config/],
  ];
  for (const [words, message] of wrong) {
    const { code, err } = await runToEnd(words);
    assert.equal(code, 2, words.join(" "));
    assert.match(err, message);
    assert.equal(err.trim().split("\n").length, 1, err);
  }
});

test("[DU17] a port or a data directory in use is reported", async (t) => {
  const { agent, target } = await startSmallAgent(t);
  const file = `${tempFolder(t)}/config.cue`;
  await writeFile(file, smallAgentDocument(target.address));
  const taken = await runToEnd(["-config", file, "-listen", `127.0.0.1:${agent.port}`, "-data-dir", tempFolder(t)]);
  assert.equal(taken.code, 1);
  assert.match(taken.err, /in use/);
  const shared = await runToEnd(["-config", file, "-listen", "127.0.0.1:0", "-data-dir", agent.dataDir]);
  assert.equal(shared.code, 1);
  assert.match(shared.err, /in use|another process/);
});

test("SIGTERM stops the agent in order, with exit code 0", async (t) => {
  const { agent } = await startSmallAgent(t);
  assert.equal(await agent.stop("SIGTERM"), 0);
});
