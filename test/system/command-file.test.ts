import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../run/call.ts";
import { startTestAgent, tempFolder } from "../run/processes.ts";
import { type JsonRow, statusRows } from "../run/rows.ts";

const passive = `check: {type: "passive", freshness_threshold: "1h", max_attempts: 1, flap: {enabled: false}}`;
const document = (services: number): string => `
hosts: {
	web1: {
		address: "a"
		${passive}
		services: {
			http: ${passive}
			job: ${passive}
		}
	}
	web2: {
		address: "b"
		parents: ["web1"]
		${passive}
		services: {
			${Array.from({ length: services }, (_, i) => `s${i}: ${passive}`).join("\n\t\t\t")}
		}
	}
}
contacts: ann: {type: "email", address: "ann@example.org"}
`;

const token = "an-admins-token-0123456789abcdef";
const headers = { authorization: `Bearer ${token}` };

async function start(scope: TestScope, services = 1) {
  const folder = tempFolder(scope);
  const [auth, path] = [join(folder, "auth.cue"), join(folder, "cmd")];
  const digest = createHash("sha256").update(token).digest("hex");
  writeFileSync(auth, `auth: ann: {role: "admin", token_hash: "sha256:${digest}"}\n`);
  const agent = await startTestAgent(scope, {
    config: document(services),
    flags: { "auth-config": auth, "command-file": path },
  });
  const now = (): number => Math.floor(Date.now() / 1000);
  const records = async () => {
    const answer = await call(agent.base, "AdminService/ListAuditRecords", { limit: 1000 }, headers);
    return (answer.body["records"] ?? []) as { rpc: string; outcome: string; source: string; count: number }[];
  };
  return {
    agent,
    path,
    now,
    records,
    write: (...lines: string[]) => appendFile(path, lines.map((line) => `[${now()}] ${line}\n`).join("")),
    rows: () => statusRows(agent.base, {}, headers),
    row: (ref: string, what: string, holds: (row: JsonRow) => boolean) =>
      until(what, async () => {
        const row = (await statusRows(agent.base, {}, headers))[ref];
        return row !== undefined && holds(row) && row;
      }),
  };
}

type Notes = { readonly id: string; readonly author: string; readonly comment?: string; readonly text?: string }[];
const notesOf = (row: JsonRow, field: "downtimes" | "comments"): Notes =>
  ((row as { [name: string]: unknown })[field] ?? []) as Notes;

test("[XC4, XC5, XC6] lines of the command file have the effect of API calls", async (t) => {
  const { agent, now, records, write, row } = await start(t);
  await write(
    "PROCESS_SERVICE_CHECK_RESULT;web1;http;2;it is; down\\nfor good|time=3s",
    "PROCESS_HOST_CHECK_RESULT;web1;0;up",
  );
  const http = await row("web1!http", "critical", ({ status }) => status === "STATUS_CRITICAL");
  assert.deepEqual([http.output, (http as { longOutput?: string }).longOutput], ["it is; down", "for good"]);
  await write(
    "ACKNOWLEDGE_SVC_PROBLEM;web1;http;2;1;0;bob;on it; soon",
    "ADD_SVC_COMMENT;web1;http;1;bob;look; here",
    "ADD_HOST_COMMENT;web1;1;bob;host",
  );
  const acknowledged = await row(
    "web1!http",
    "acknowledged",
    ({ acknowledgement }) => acknowledgement?.author === "bob",
  );
  assert.equal(acknowledged.acknowledgement?.comment, "on it; soon");
  const commented = await row("web1!http", "commented", (it) => notesOf(it, "comments").length === 1);
  assert.equal(notesOf(commented, "comments")[0]?.text, "look; here");
  const id = notesOf(commented, "comments")[0]?.id;
  await write(
    `DEL_HOST_COMMENT;${id}`,
    `DEL_SVC_COMMENT;${id}`,
    "DEL_ALL_HOST_COMMENTS;web1",
    "REMOVE_SVC_ACKNOWLEDGEMENT;web1;http",
  );
  await row(
    "web1!http",
    "no comment",
    (it) => notesOf(it, "comments").length === 0 && it.acknowledgement === undefined,
  );
  await row("web1", "no comment either", (it) => notesOf(it, "comments").length === 0);

  const span = `${now() - 60};${now() + 3600}`;
  await write(
    `SCHEDULE_HOST_SVC_DOWNTIME;web1;${span};1;0;0;bob;services`,
    `SCHEDULE_HOST_DOWNTIME;web1;${span};1;0;0;bob;host`,
  );
  const host = await row("web1", "host downtime", (it) => notesOf(it, "downtimes").length === 1);
  await row("web1!job", "service downtime", (it) => notesOf(it, "downtimes").length === 1);
  await write(`SCHEDULE_AND_PROPAGATE_TRIGGERED_HOST_DOWNTIME;web1;${span};1;0;0;bob;both`);
  await row("web2", "propagated", (it) => notesOf(it, "downtimes").length === 1);
  await write(
    `DEL_HOST_DOWNTIME;${notesOf(host, "downtimes")[0]?.id}`,
    "DEL_DOWNTIME_BY_HOST_NAME;web1;;;services",
    "DEL_DOWNTIME_BY_START_TIME_COMMENT;;both",
  );
  await row("web1", "no host downtime", (it) => notesOf(it, "downtimes").length === 0);
  await row("web1!job", "no service downtime", (it) => notesOf(it, "downtimes").length === 0);
  await row("web2", "no propagated one", (it) => notesOf(it, "downtimes").length === 0);

  await write(
    "DISABLE_SVC_NOTIFICATIONS;web1;http",
    "DISABLE_HOST_SVC_CHECKS;web1",
    "STOP_EXECUTING_SVC_CHECKS",
    "DISABLE_CONTACT_HOST_NOTIFICATIONS;ann",
  );
  await row(
    "web1!http",
    "toggled",
    (it) => it["notificationsEnabled"] === false && it["activeChecksEnabled"] === false,
  );
  const info = await call(agent.base, "QueryService/GetServerInfo", {}, headers);
  assert.equal((info.body["toggles"] as { activeChecksEnabled: boolean }).activeChecksEnabled, false);
  const all = await records();
  assert.ok(all.every(({ source, count }) => source === "AUDIT_SOURCE_EXTCMD" && count === 1));
  const outcomes = (rpc: string) => all.filter((one) => one.rpc === rpc).map(({ outcome }) => outcome);
  assert.deepEqual(outcomes("PROCESS_SERVICE_CHECK_RESULT"), ["AUDIT_OUTCOME_ACCEPTED"]);
  assert.deepEqual(outcomes("DEL_HOST_COMMENT"), ["AUDIT_OUTCOME_REJECTED"], "it is a comment of a service");
  assert.deepEqual(outcomes("DEL_SVC_COMMENT"), ["AUDIT_OUTCOME_ACCEPTED"]);
  assert.equal(all.filter(({ outcome }) => outcome !== "AUDIT_OUTCOME_ACCEPTED").length, 1);
});

test("[XC2, XC3] invalid lines change nothing, are audited by name, and later lines are read", async (t) => {
  const { agent, path, now, records, write, rows } = await start(t);
  const before = await rows();
  await appendFile(path, Buffer.concat([Buffer.alloc(1_048_576, "x"), Buffer.from("\nno brackets\n\n")]));
  await appendFile(
    path,
    "[-5] PROCESS_SERVICE_CHECK_RESULT;web1;http;2;x\n[1e99] PROCESS_SERVICE_CHECK_RESULT;web1;http;2;x\n",
  );
  await appendFile(path, Buffer.from([0x5b, 0xff, 0x00, 0x0a]));
  await write(
    "PROCESS_FILE;/etc/passwd;0",
    "SHUTDOWN_PROGRAM",
    "CHANGE_HOST_CHECK_COMMAND;web1;rm",
    "MAKE_COFFEE",
    "_OWN;x",
  );
  await write(
    "PROCESS_SERVICE_CHECK_RESULT;nobody;http;2;x",
    "PROCESS_SERVICE_CHECK_RESULT;web1;http;7;x",
    "PROCESS_HOST_CHECK_RESULT;web1;3;x",
  );
  await write(
    "SCHEDULE_HOST_DOWNTIME;web1;20;10;1;0;0;a;x",
    "SCHEDULE_HOST_DOWNTIME;web1;10;20;0;0;0;a;x",
    "SCHEDULE_HOST_DOWNTIME;web1;10;20;1;77;0;a;x",
  );
  await write(
    "DEL_HOST_DOWNTIME;5",
    "DEL_SVC_COMMENT;nothing",
    "DISABLE_CONTACT_SVC_NOTIFICATIONS;nobody",
    "ENABLE_HOST_CHECK;../web1",
  );
  const rejected = await until("all are rejected", async () => {
    const all = await records();
    return all.length === 20 && all;
  });
  assert.ok(
    rejected.every(({ outcome, source }) => outcome === "AUDIT_OUTCOME_REJECTED" && source === "AUDIT_SOURCE_EXTCMD"),
  );
  for (const name of ["PROCESS_FILE", "SHUTDOWN_PROGRAM", "CHANGE_HOST_CHECK_COMMAND", "MAKE_COFFEE", "_OWN"])
    assert.ok(
      rejected.some(({ rpc }) => rpc === name),
      name,
    );
  assert.deepEqual(await rows(), before);
  await appendFile(path, `[${now()}] PROCESS_SERVICE_CHECK_RESULT;web1;ht`);
  await appendFile(path, "tp;1;in pieces\n");
  await until("the next line is accepted", async () => (await rows())["web1!http"]?.status === "STATUS_WARNING");
  const metrics = await (await fetch(`${agent.base}/metrics`)).text();
  assert.match(metrics, /realmwatch_external_command_lines_total\{outcome="rejected"\} 20/);
  const logged = agent
    .output()
    .split("\n")
    .filter((line) => line.includes("a line of the command file was refused"));
  assert.equal(logged.length, 10);
});

test("[XC4, XC7] 10 000 lines at once are all accepted in order, and survive kill -9", async (t) => {
  const services = 1000;
  const { agent, path, now, row, rows, records } = await start(t, services);
  const line = (i: number) =>
    `[${now()}] PROCESS_SERVICE_CHECK_RESULT;web2;s${i % services};${i < 9_000 ? 2 : 1};number ${i}\n`;
  await appendFile(path, Array.from({ length: 10_000 }, (_, i) => line(i)).join(""));
  await row(`web2!s${services - 1}`, "the last one", ({ output }) => output === "number 9999");
  await agent.stop("SIGKILL");
  assert.ok(existsSync(path));
  await agent.restart();
  const after = await rows();
  for (let i = 0; i < services; i++) assert.equal(after[`web2!s${i}`]?.output, `number ${9_000 + i}`);
  const counted = (await records()).reduce((sum, { count }) => sum + count, 0);
  assert.equal(counted, 10_000);
  await agent.stop();
  assert.equal(existsSync(path), false, "the agent removes it");
});

test("[XC7] a file that is no FIFO is refused at the start", async (t) => {
  const path = join(tempFolder(t), "cmd");
  writeFileSync(path, "precious");
  await assert.rejects(
    startTestAgent(t, { config: document(1), flags: { "command-file": path } }),
    /ended with 1:[\s\S]*the command file .* exists already and is not a FIFO/,
  );
});
