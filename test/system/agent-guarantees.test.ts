import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { test } from "node:test";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../run/call.ts";
import { startTcpTarget, startTestAgent, tempFolder } from "../run/processes.ts";
import { hostTarget, type JsonRow, sendCommand, serviceTarget, statusRows } from "../run/rows.ts";

const passive = `check: {type: "passive", freshness_threshold: "1h", max_attempts: 1, flap: {}}`;
const document = `
hosts: web1: {
	address: "127.0.0.1"
	${passive}
	services: {
		job: ${passive}
		other: ${passive}
		port: check: {type: "tcp", address: "127.0.0.1:1", check_interval: "24h", retry_interval: "12h", flap: {}}
	}
}
contacts: ann: {type: "email", address: "ann@example.org"}
`;
const web1 = hostTarget("web1");
const job = serviceTarget("web1", "job");
const other = serviceTarget("web1", "other");

test("[DU12] each of the fifteen commands, once answered, survives kill -9", async (t) => {
  const agent = await startTestAgent(t, { config: document });
  const send = async (rpc: string, request: object) => (await sendCommand(agent.base, rpc, request)).body;
  const window = {
    start: new Date(Date.now() - 1000).toISOString(),
    end: new Date(Date.now() + 3_600_000).toISOString(),
  };
  await send("ProcessCheckResult", { object: web1.object, status: "STATUS_WARNING", output: "one" });
  const results = [job, other].map(({ object }) => ({ object, status: "STATUS_WARNING", output: "two" }));
  await send("ProcessCheckResults", { results });
  for (const target of [job, other]) await send("AcknowledgeProblem", { target, comment: "on it" });
  await send("RemoveAcknowledgement", { target: other });
  for (const target of [job, other]) {
    const { downtimeIds } = await send("ScheduleDowntime", { target, ...window });
    if (target === other) await send("DeleteDowntime", { downtimeId: (downtimeIds as string[])[0] });
    const { commentId } = await send("AddComment", { target, text: "look" });
    if (target === other) await send("DeleteComment", { commentId });
  }
  await send("SendCustomNotification", { target: job, comment: "please look" });
  await send("SetProgramNotifications", { enabled: false });
  await send("SetObjectNotifications", { target: job, enabled: false });
  await send("SetContactNotifications", { contact: "ann", enabled: false });
  await send("SetProgramToggle", { toggle: "PROGRAM_TOGGLE_FLAP_DETECTION", enabled: false });
  await send("SetObjectToggle", { target: job, toggle: "OBJECT_TOGGLE_EVENT_HANDLER", enabled: false });
  await send("ScheduleCheck", { target: serviceTarget("web1", "port") });
  await agent.stop("SIGKILL");
  await agent.restart();

  const rows = await statusRows(agent.base);
  const shown = (row: JsonRow | undefined) => [
    row?.output,
    row?.acknowledgement?.comment,
    row?.downtimes?.length,
    row?.comments?.length,
    row?.notificationsEnabled,
  ];
  assert.equal(rows["web1"]?.output, "one");
  assert.deepEqual(shown(rows["web1!job"]), ["two", "on it", 1, 1, false]);
  assert.deepEqual(shown(rows["web1!other"]), ["two", undefined, undefined, undefined, true]);
  assert.equal((rows["web1!job"] as JsonRow & { eventHandlerEnabled: boolean }).eventHandlerEnabled, false);
  const info = await call(agent.base, "QueryService/GetServerInfo");
  const toggles = info.body["toggles"] as Record<string, boolean>;
  assert.deepEqual([toggles["notificationsEnabled"], toggles["flapDetectionEnabled"]], [false, false]);
  const { body } = await call(agent.base, "QueryService/ListContacts");
  assert.equal((body["contacts"] as { notificationsEnabled: boolean }[])[0]?.notificationsEnabled, false);
  const history = await call(agent.base, "QueryService/ListHistory", { object: job.object });
  assert.match(JSON.stringify(history.body), /please look/);
  await until("the requested check", async () => (await statusRows(agent.base))["web1!port"]?.lastCheck);
});

const tokens: Readonly<Record<string, string>> = {
  viewer: "viewer-0123456789abcdef0123456789",
  operator: "operator-0123456789abcdef0123456",
  admin: "admin-0123456789abcdef0123456789",
};
const identities = Object.entries(tokens).map(
  ([role, token]) =>
    `${role}1: {role: "${role}", token_hash: "sha256:${createHash("sha256").update(token).digest("hex")}"}`,
);
const bearer = (role: string): Record<string, string> =>
  role === "none" ? {} : { authorization: `Bearer ${tokens[role] ?? "nonsense"}` };

test("[IN9, IN13] with identities each service requires its role, the authenticated name is the author, and tokens stay secret", async (t) => {
  const auth = `${tempFolder(t)}/auth.cue`;
  await writeFile(auth, `auth: {\n${identities.join("\n")}\n}\n`);
  const flags = { "auth-config": auth };
  const agent = await startTestAgent(t, { config: document, flags });
  const calls: [rpc: string, request: object][] = [
    ["QueryService/ListStatus", {}],
    ["CommandService/AddComment", { target: web1, author: "cron", text: "by hand" }],
    ["AdminService/GetConfig", {}],
    ["AuthService/WhoAmI", {}],
  ];
  const answers = async (role: string): Promise<string[]> =>
    Promise.all(
      calls.map(async ([rpc, request]) => {
        const { ok, http, code } = await call(agent.base, rpc, request, bearer(role));
        return ok ? "ok" : code === "" ? String(http) : code;
      }),
    );
  const refused = ["unauthenticated", "unauthenticated", "unauthenticated", "unauthenticated"];
  assert.deepEqual(await answers("none"), refused);
  assert.deepEqual(await answers("nobody"), refused);
  assert.deepEqual(await answers("viewer"), ["ok", "permission_denied", "permission_denied", "ok"]);
  assert.deepEqual(await answers("operator"), ["ok", "ok", "permission_denied", "ok"]);
  assert.deepEqual(await answers("admin"), ["ok", "ok", "ok", "ok"]);
  const comments = await until("both comments", async () => {
    const row = (await statusRows(agent.base, {}, bearer("viewer")))["web1"];
    return row?.comments?.length === 2 && row.comments;
  });
  const authors = comments.map(({ author, ...rest }) => [author, (rest as { onBehalfOf?: string }).onBehalfOf]);
  assert.deepEqual(authors.sort(), [
    ["admin1", "cron"],
    ["operator1", "cron"],
  ]);
  const [metrics, said] = [await (await fetch(`${agent.base}/metrics`)).text(), agent.output()];
  for (const token of Object.values(tokens)) assert.ok(!metrics.includes(token) && !said.includes(token));
  await agent.restart({ "read-only": true });
  assert.deepEqual(await answers("admin"), ["ok", "404", "404", "ok"]);
});

test("[RE2, ST7, HS3] hosts behind one that is down are unreachable at once, and problems of their services hard at once", async (t) => {
  const [edge, web] = [await startTcpTarget(t), await startTcpTarget(t)];
  const quick = `check_interval: "1s", retry_interval: "300ms", timeout: "20s", flap: {enabled: false}`;
  const agent = await startTestAgent(t, {
    config: `
hosts: {
	edge: {address: "127.0.0.1", check: {type: "tcp", address: "${edge.address}", max_attempts: 2, ${quick}}}
	web1: {
		address: "127.0.0.1"
		parents: ["edge"]
		check: {type: "tcp", address: "${web.address}", max_attempts: 2, ${quick}}
		services: {
			http: check: {type: "tcp", address: "${web.address}", max_attempts: 2, ${quick}}
			job: check: {type: "passive", freshness_threshold: "1h", max_attempts: 5, flap: {}}
		}
	}
}
`,
  });
  const format = (row: JsonRow | undefined): string => `${row?.status} ${row?.stateType} ${row?.attempt}`;
  await until("all are ok", async () => {
    const rows = await statusRows(agent.base, { selector: "@type=tcp" });
    return Object.values(rows).every((row) => row.status === "STATUS_OK") && Object.keys(rows).length === 3;
  });
  await Promise.all([edge.close(), web.close()]);
  const down = await until("the host is unreachable and hard", async () => {
    const rows = await statusRows(agent.base);
    const dead = format(rows["edge"]) === "STATUS_CRITICAL STATE_TYPE_HARD 2";
    return dead && format(rows["web1"]) === "STATUS_UNREACHABLE STATE_TYPE_HARD 2" && rows;
  });
  assert.deepEqual([down["web1"]?.suppressedBy, down["web1"]?.handled], [["edge"], true]);
  const { object } = serviceTarget("web1", "job");
  await sendCommand(agent.base, "ProcessCheckResult", { object, status: "STATUS_WARNING", output: "late" });
  const late = await until("the service's problem", async () => {
    const row = (await statusRows(agent.base))["web1!job"];
    return row?.status === "STATUS_WARNING" && row;
  });
  assert.equal(format(late), "STATUS_WARNING STATE_TYPE_HARD 5", "no attempts while the host is down");
  assert.deepEqual([late.suppressedBy, late.handled], [["web1"], true]);
  await Promise.all([edge.open(), web.open()]);
  await until("both are up", async () => {
    const rows = await statusRows(agent.base);
    return rows["web1"]?.status === "STATUS_OK" && rows["edge"]?.status === "STATUS_OK" && !rows["web1!job"]?.handled;
  });
});

test("[DT1, DU11] a downtime of a process that began before a restart ends after it", async (t) => {
  const agent = await startTestAgent(t, { config: `${document}processes: shop: rule: ref: "web1!job"\n` });
  await sendCommand(agent.base, "ScheduleDowntime", {
    target: { object: { process: { name: "shop" } } },
    start: new Date(Date.now() - 1000).toISOString(),
    end: new Date(Date.now() + 10_000).toISOString(),
  });
  await agent.restart();
  await until("it is over", async () => (await statusRows(agent.base))["process:shop"]?.inDowntime === false);
});
