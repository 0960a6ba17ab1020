import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../run/call.ts";
import { spawnProgram, startTcpTarget, startTestAgent, type TestScope, tempFolder } from "../run/processes.ts";
import { hostTarget, sendCommand, serviceTarget, statusRows } from "../run/rows.ts";
import { smallRealm } from "../run/small-realm.ts";

const document = (address: string): string =>
  smallRealm(
    address,
    `contacts: ann: {type: "email", address: "ann@example.org"}\nprocesses: shop: rule: ref: "web1!http"`,
  );

async function startOne(scope: TestScope, flags: Record<string, string | boolean> = {}) {
  const target = await startTcpTarget(scope);
  const agent = await startTestAgent(scope, { config: document(target.address), flags });
  return { target, agent };
}

const http = serviceTarget("web1", "http");
const job = serviceTarget("web1", "job");

test("[ST2, ST4, ST6, BP8] a service with a failed target is soft, then hard critical, and recovers", async (t) => {
  const { target, agent } = await startOne(t);
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

test("[DU12] accepted commands survive kill -9, and what they created can be deleted once", async (t) => {
  const { agent } = await startOne(t);
  await sendCommand(agent.base, "ProcessCheckResult", {
    object: job.object,
    status: "STATUS_WARNING",
    output: "half | done=50%;80;90;0;100",
  });
  await sendCommand(agent.base, "AcknowledgeProblem", { target: job, sticky: true, author: "ann", comment: "on it" });
  const start = new Date().toISOString();
  const end = new Date(Date.now() + 3_600_000).toISOString();
  const downtime = await sendCommand(agent.base, "ScheduleDowntime", {
    target: hostTarget("web1"),
    start,
    end,
    author: "ann",
    comment: "patch",
    includeServices: true,
  });
  assert.equal((downtime.body["downtimeIds"] as string[]).length, 3);
  await sendCommand(agent.base, "SetProgramToggle", { toggle: "PROGRAM_TOGGLE_EVENT_HANDLERS", enabled: false });
  const comment = await sendCommand(agent.base, "AddComment", { target: http, author: "ann", text: "kept?" });
  await agent.stop("SIGKILL");
  await agent.restart();
  const rows = await statusRows(agent.base);
  assert.equal(rows["web1!job"]?.status, "STATUS_WARNING");
  assert.deepEqual(
    rows["web1!job"]?.perfdata?.map(({ label, value }) => [label, value]),
    [["done", 50]],
  );
  assert.equal(rows["web1!job"]?.acknowledgement?.author, "ann");
  assert.equal(rows["web1"]?.inDowntime, true);
  assert.equal(rows["web1!http"]?.comments?.[0]?.text, "kept?");
  const info = await call(agent.base, "QueryService/GetServerInfo");
  assert.equal((info.body["toggles"] as { eventHandlersEnabled: boolean }).eventHandlersEnabled, false);
  const commentId = comment.body["commentId"];
  assert.equal((await call(agent.base, "CommandService/DeleteComment", { commentId })).ok, true);
  assert.equal((await call(agent.base, "CommandService/DeleteComment", { commentId })).code, "not_found");
});

const at = "2026-11-21T10:00:00Z";
const later = "2026-11-21T11:00:00Z";
const refusals: [rpc: string, request: object, code: string, message: RegExp][] = [
  ["ProcessCheckResult", { object: job.object }, "invalid_argument", /status/],
  ["ProcessCheckResult", { object: job.object, status: "STATUS_PENDING" }, "invalid_argument", /status/],
  ["ProcessCheckResult", { object: { process: { name: "shop" } }, status: "STATUS_OK" }, "invalid_argument", /object/],
  [
    "ProcessCheckResult",
    { object: { host: { name: "nobody" } }, status: "STATUS_OK" },
    "not_found",
    /^object: host "nobody"/,
  ],
  ["ProcessCheckResults", {}, "invalid_argument", /results/],
  [
    "ProcessCheckResults",
    { results: [{ object: job.object, status: "STATUS_OK" }, { object: job.object }] },
    "invalid_argument",
    /results\[1\]\.status/,
  ],
  ["AcknowledgeProblem", {}, "invalid_argument", /target/],
  ["AcknowledgeProblem", { target: { selector: "env=" } }, "invalid_argument", /selector/],
  ["AcknowledgeProblem", { target: { selector: "env=test" } }, "not_found", /^target\.selector: .*env=test/],
  ["AcknowledgeProblem", { target: { object: { service: { name: "http" } } } }, "invalid_argument", /host/],
  ["ScheduleDowntime", { target: http, end: later }, "invalid_argument", /start/],
  ["ScheduleDowntime", { target: http, start: at }, "invalid_argument", /end/],
  ["ScheduleDowntime", { target: http, start: later, end: at }, "invalid_argument", /end/],
  [
    "ScheduleDowntime",
    { target: http, start: at, end: later, flexible: { duration: "0s" } },
    "invalid_argument",
    /duration/,
  ],
  [
    "ScheduleDowntime",
    { target: http, start: at, end: later, triggered: { triggeredBy: "nope" } },
    "not_found",
    /^triggered\.triggeredBy: .*nope/,
  ],
  [
    "ScheduleDowntime",
    { target: http, start: at, end: later, triggered: { triggeredBy: "recurring:x" } },
    "invalid_argument",
    /triggeredBy/,
  ],
  ["DeleteDowntime", { downtimeId: "nope" }, "not_found", /^downtimeId: .*nope/],
  ["SetProgramNotifications", {}, "invalid_argument", /enabled/],
  ["SetObjectNotifications", { target: http }, "invalid_argument", /enabled/],
  ["SetContactNotifications", { contact: "bob", enabled: true }, "not_found", /^contact: .*bob/],
  ["SetProgramToggle", { enabled: true }, "invalid_argument", /toggle/],
  ["SetObjectToggle", { target: http, toggle: "OBJECT_TOGGLE_ACTIVE_CHECKS" }, "invalid_argument", /enabled/],
  ["AddComment", { target: { selector: "env=prod" }, text: "x" }, "invalid_argument", /selector/],
  ["AddComment", { text: "x" }, "invalid_argument", /target/],
  ["DeleteComment", {}, "invalid_argument", /commentId/],
  ["DeleteComment", { commentId: "nope" }, "not_found", /^commentId: .*nope/],
  ["ScheduleDowntime", { target: http, start: "yesterday", end: later }, "invalid_argument", /^start: /],
  [
    "ScheduleDowntime",
    { target: http, start: at, end: later, flexible: { duration: 5 } },
    "invalid_argument",
    /^flexible\.duration: /,
  ],
  ["ScheduleDowntime", { target: "web1", start: at, end: later }, "invalid_argument", /^target: /],
];

test("[DT12, IN1] a refused command has its code, names the field and changes nothing", async (t) => {
  const { agent } = await startOne(t);
  await until(
    "the first checks are done",
    async () => (await statusRows(agent.base))["web1!http"]?.status === "STATUS_OK",
  );
  for (const [rpc, request, code, message] of refusals) {
    const answer = await call(agent.base, `CommandService/${rpc}`, request);
    assert.equal(answer.code, code, `${rpc} ${JSON.stringify(request)}: ${answer.message}`);
    assert.match(answer.message, message);
  }
  const rows = await statusRows(agent.base);
  assert.equal(rows["web1!job"]?.status, "STATUS_PENDING");
  assert.equal(rows["web1!http"]?.downtimes, undefined);
});

test("the effect of every command is in rows or history", async (t) => {
  const { agent } = await startOne(t);
  const shows = (what: string, ref: string, holds: (row: Awaited<ReturnType<typeof statusRows>>[string]) => unknown) =>
    until(what, async () => {
      const row = (await statusRows(agent.base))[ref];
      return row !== undefined && holds(row);
    });
  const results = [1, 2, 3].map((n) => ({ object: job.object, status: "STATUS_CRITICAL", output: `failed ${n}` }));
  await sendCommand(agent.base, "ProcessCheckResults", { results });
  await shows("the last of the results", "web1!job", (row) => row.output === "failed 3");
  await sendCommand(agent.base, "AcknowledgeProblem", { target: job, author: "ann", comment: "on it" });
  await shows("the acknowledgement", "web1!job", (row) => row.handled && row.acknowledgement?.comment === "on it");
  await sendCommand(agent.base, "RemoveAcknowledgement", { target: job });
  await shows("no acknowledgement", "web1!job", (row) => row.acknowledgement === undefined);
  const start = new Date(Date.now() - 1000).toISOString();
  const end = new Date(Date.now() + 3_600_000).toISOString();
  const scheduled = await sendCommand(agent.base, "ScheduleDowntime", {
    target: { selector: "@name=job" },
    start,
    end,
    author: "ann",
  });
  await shows("the downtime", "web1!job", (row) => row.inDowntime);
  await sendCommand(agent.base, "DeleteDowntime", { downtimeId: (scheduled.body["downtimeIds"] as string[])[0] });
  await shows("no downtime", "web1!job", (row) => !row.inDowntime && row.downtimes === undefined);
  await sendCommand(agent.base, "SetObjectNotifications", { target: job, enabled: false });
  await shows("notifications off", "web1!job", (row) => !row.notificationsEnabled);
  await sendCommand(agent.base, "SetObjectToggle", {
    target: job,
    toggle: "OBJECT_TOGGLE_PASSIVE_CHECKS",
    enabled: false,
  });
  await shows("passive checks off", "web1!job", (row) => !row.passiveChecksEnabled);
  await sendCommand(agent.base, "ProcessCheckResult", { object: job.object, status: "STATUS_OK", output: "ignored" });
  await until("history has the dropped result", async () => {
    const history = await call(agent.base, "QueryService/ListHistory", { object: job.object });
    return JSON.stringify(history.body).includes("dropped");
  });
  assert.equal((await statusRows(agent.base))["web1!job"]?.output, "failed 3");
  await sendCommand(agent.base, "SetContactNotifications", { contact: "ann", enabled: false });
  await until("the contact is off", async () => {
    const contacts = await call(agent.base, "QueryService/ListContacts");
    return (contacts.body["contacts"] as { notificationsEnabled: boolean }[])[0]?.notificationsEnabled === false;
  });
  await sendCommand(agent.base, "SetProgramNotifications", { enabled: false });
  await until("notifications are off", async () => {
    const { body } = await call(agent.base, "QueryService/GetServerInfo");
    return (body["toggles"] as { notificationsEnabled: boolean }).notificationsEnabled === false;
  });
  await sendCommand(agent.base, "SendCustomNotification", { target: job, author: "ann", comment: "hello" });
  const before = (await statusRows(agent.base))["web1!http"]?.lastCheck;
  await sendCommand(agent.base, "SetObjectToggle", {
    target: http,
    toggle: "OBJECT_TOGGLE_ACTIVE_CHECKS",
    enabled: false,
  });
  await shows("active checks off", "web1!http", (row) => !row.activeChecksEnabled);
  await sendCommand(agent.base, "ScheduleCheck", { target: http });
  await shows("a requested check", "web1!http", (row) => row.lastCheck !== before);
});

test("-api-token protects commands and not queries; -read-only removes commands", async (t) => {
  const { agent } = await startOne(t, { "api-token": "a-token-for-this-test" });
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
  await writeFile(file, document("127.0.0.1:1"));
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
  const { agent, target } = await startOne(t);
  const file = `${tempFolder(t)}/config.cue`;
  await writeFile(file, document(target.address));
  const taken = await runToEnd(["-config", file, "-listen", `127.0.0.1:${agent.port}`, "-data-dir", tempFolder(t)]);
  assert.equal(taken.code, 1);
  assert.match(taken.err, /in use/);
  const shared = await runToEnd(["-config", file, "-listen", "127.0.0.1:0", "-data-dir", agent.dataDir]);
  assert.equal(shared.code, 1);
  assert.match(shared.err, /in use|another process/);
});

test("SIGTERM stops the agent in order, with exit code 0", async (t) => {
  const { agent } = await startOne(t);
  assert.equal(await agent.stop("SIGTERM"), 0);
});
