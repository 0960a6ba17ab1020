import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../../run/call.ts";
import { hostTarget, sendCommand, serviceTarget, statusRows } from "../../run/rows.ts";
import { startSmallAgent } from "../../run/small-agent.ts";

const http = serviceTarget("web1", "http");
const job = serviceTarget("web1", "job");

test("[DU12] accepted commands survive kill -9, and what they created can be deleted once", async (t) => {
  const { agent } = await startSmallAgent(t);
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
  ["SetObjectNotifications", {}, "invalid_argument", /target/],
  ["SetContactNotifications", { contact: "bob", enabled: true }, "not_found", /^contact: .*bob/],
  ["SetContactNotifications", { contact: "ann", enabled: true, until: later }, "invalid_argument", /^until: /],
  ["SetContactNotifications", { contact: "ann", until: "tomorrow" }, "invalid_argument", /^until: /],
  ["SetProgramToggle", { enabled: true }, "invalid_argument", /toggle/],
  ["SetObjectToggle", { target: http }, "invalid_argument", /toggle/],
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
  const { agent } = await startSmallAgent(t);
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
  const { agent } = await startSmallAgent(t);
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
