import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { atEnd, type TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { cliProgram, runRealmwatch } from "../run/cli.ts";
import { startTestAgent, tempFolder } from "../run/processes.ts";
import { sendCommand, statusRows } from "../run/rows.ts";

const passive = (attempts: number): string =>
  `check: {type: "passive", freshness_threshold: "1h", max_attempts: ${attempts}, flap: {enabled: false}}`;
const document = `
commands: drop: line: "/bin/true"
contacts: ops: {type: "command", command: "drop"}
notifications: page: levels: [{contacts: ["ops"]}]
hosts: web1: {
	address: "127.0.0.1"
	${passive(2)}
	services: {
		http: {${passive(3)}, notification: "page"}
		late: {${passive(5)}, notification: "page"}
		here: {${passive(1)}}
	}
}
`;

type Fields = Readonly<Record<string, string | number>>;
const block = (type: string, fields: Fields): string =>
  `${type} {\n${Object.entries(fields)
    .map(([name, value]) => `\t${name}=${value}\n`)
    .join("")}\t}\n`;

const begin = Math.floor(Date.now() / 1_000) - 600;
const hostUp = { host_name: "web1", has_been_checked: 1, current_state: 0, state_type: 1, last_check: begin };
const service = (name: string, fields: Fields): string =>
  block("servicestatus", {
    ...{ host_name: "web1", service_description: name, has_been_checked: 1, current_state: 0, state_type: 1 },
    ...{ current_attempt: 1, last_check: begin, plugin_output: "fine" },
    ...fields,
  });

/** Status file of another system, replaced as a whole as Nagios does. */
function otherSystem(scope: TestScope) {
  const folder = tempFolder(scope, "shadow");
  const file = join(folder, "status.dat");
  return {
    file,
    report: join(folder, "report.json"),
    write(...blocks: readonly string[]) {
      writeFileSync(`${file}.new`, ["# Status\n", block("info", { created: begin }), ...blocks].join(""));
      renameSync(`${file}.new`, file);
    },
  };
}

type Difference = { readonly object: string; readonly kind: string; readonly other: string; readonly agent: string };
const shown = (differences: readonly Difference[]): string[] =>
  differences.map(({ object, kind, other, agent }) => `${object} ${kind}: ${other || "-"}, ${agent || "-"}`).sort();

test("[SH1] [SH3] [SH5] [SH7] [SH9] [SH12] one comparison with a running agent", async (t) => {
  const agent = await startTestAgent(t, { config: document });
  const other = otherSystem(t);
  other.write(
    block("hoststatus", { ...hostUp, plugin_output: "PING ok", performance_data: "rta=1.5ms;;;0" }),
    service("http", {
      ...{ current_state: 2, current_attempt: 3, plugin_output: "refused" },
      ...{ current_notification_number: 1, last_notification: begin },
    }),
    service("late", { current_state: 1, current_attempt: 3, plugin_output: "slow" }),
    service("there", {}),
  );
  const args = ["shadow", "-server", agent.base, "-status-dat", other.file, "-for", "0s", "-report", other.report];
  const run = await runRealmwatch([...args, "-o", "json"]);
  assert.equal(run.code, 0, run.stderr);
  const report = JSON.parse(run.stdout);
  assert.deepEqual(JSON.parse(readFileSync(other.report, "utf8")).differences, report.differences);
  assert.equal(statSync(other.report).mode & 0o777, 0o600);
  assert.deepEqual(shown(report.differences), [
    "web1!here object: -, exists",
    "web1!late state: warning hard, warning soft 3",
    "web1!there object: exists, -",
  ]);
  assert.deepEqual([report.readings, report.submitted, report.compared, report.objects], [1, 7, 3, 4]);
  const rows = await statusRows(agent.base);
  assert.deepEqual(
    ["web1", "web1!http", "web1!late"].map((ref) => [rows[ref]?.status, rows[ref]?.stateType, rows[ref]?.output]),
    [
      ["STATUS_OK", "STATE_TYPE_HARD", "PING ok"],
      ["STATUS_CRITICAL", "STATE_TYPE_HARD", "refused"],
      ["STATUS_WARNING", "STATE_TYPE_SOFT", "slow"],
    ],
  );

  const again = await runRealmwatch([...args, "-o", "json"]);
  assert.equal(JSON.parse(again.stdout).submitted, 0);
  const table = await runRealmwatch(args);
  assert.match(table.stdout, /^SINCE +UNTIL +OBJECT +KIND +OTHER +AGENT/);
  assert.match(table.stdout, /\n3 differences; 3 of 4 objects compared; 0 results submitted\n/);
});

test("[SH6] [SH8] [SH12] a run follows the other system until it is stopped", async (t) => {
  const agent = await startTestAgent(t, { config: document });
  const other = otherSystem(t);
  const http = (fields: Fields) => other.write(block("hoststatus", hostUp), service("http", fields));
  http({});
  const words = ["shadow", "-server", agent.base, "-status-dat", other.file, "-report", other.report, "-o", "json"];
  const [program = "", ...args] = [...cliProgram, ...words];
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
  atEnd(t, () => void child.kill("SIGKILL"));
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  const state = async () => {
    const row = (await statusRows(agent.base))["web1!http"];
    return `${row?.status} ${row?.stateType} ${row?.attempt}`;
  };
  await until("the first result", async () => (await state()).startsWith("STATUS_OK"));
  // Two attempts passed between two readings.
  http({ current_state: 2, state_type: 0, current_attempt: 2, last_check: begin + 120 });
  await until("the second attempt", async () => (await state()) === "STATUS_CRITICAL STATE_TYPE_SOFT 2");
  const now = Math.floor(Date.now() / 1_000);
  const hard = { current_state: 2, current_attempt: 3, last_check: begin + 180, last_time_ok: begin };
  http({ ...hard, current_notification_number: 1, last_notification: now });
  await until("the hard problem", async () => (await state()).startsWith("STATUS_CRITICAL STATE_TYPE_HARD"));
  // The agent is told of a recovery that the other system has not seen.
  await sendCommand(agent.base, "ProcessCheckResult", {
    object: { service: { host: "web1", name: "http" } },
    status: "STATUS_OK",
    executedAt: new Date((begin + 240) * 1_000).toISOString(),
  });
  http({ ...hard, last_check: begin + 240, current_notification_number: 1, last_notification: now });
  const ended = once(child, "exit");
  await until("the difference in the report of the file", async () => {
    assert.equal(child.exitCode, null, stdout);
    const differences = JSON.parse(readFileSync(other.report, "utf8")).differences;
    return shown(differences).includes("web1!http state: critical hard, ok");
  });
  child.kill("SIGINT");
  assert.deepEqual(await ended, [0, null]);
  const report = JSON.parse(stdout);
  assert.ok(shown(report.differences).includes("web1!http state: critical hard, ok"));
  assert.deepEqual(report.notifications, { other: 1, agent: 1, paired: 1, omitted: 0 });
});

test("[SH11] failures before the first comparison end it", async (t) => {
  const agent = await startTestAgent(t, { config: document });
  const other = otherSystem(t);
  const run = (...args: string[]) => runRealmwatch(["shadow", "-server", agent.base, "-for", "0s", ...args]);
  const rows: [args: string[], code: number, stderr: RegExp][] = [
    [[], 2, /^realmwatch: one of -status-dat, -livestatus and -icinga is required\n$/],
    [["-status-dat", other.file, "-for", "soon"], 2, /^realmwatch: -for: "soon" is not a duration/],
    [["-status-dat", other.file], 1, /status\.dat cannot be read: ENOENT\n$/],
    [["-icinga", "http://icinga:5665"], 2, /-icinga must be like https:/],
    [["-icinga", "https://root:secret@icinga:5665"], 2, /without a user and a password in it/],
    [["-icinga", "https://icinga:5665", "-user", "ann"], 2, /-icinga needs -user and -password-file/],
    [["-status-dat", other.file, "-user", "ann"], 2, /-user and -password-file belong to -icinga/],
    [["-livestatus", "/run/live", "-status-dat", other.file], 2, /one of .* is required, not more/],
  ];
  for (const [args, code, stderr] of rows) {
    const answer = await run(...args);
    assert.equal(answer.code, code, args.join(" "));
    assert.match(answer.stderr, stderr);
  }
  other.write(block("hoststatus", hostUp));
  const unwritable = await run("-status-dat", other.file, "-report", join(other.file, "report"));
  assert.match(unwritable.stderr, /report cannot be written: ENOTDIR\n$/);
  await sendCommand(agent.base, "SetProgramToggle", { toggle: "PROGRAM_TOGGLE_PASSIVE_CHECKS", enabled: false });
  await until("passive checks are off", async () =>
    (await run("-status-dat", other.file)).stderr.includes("drops submitted results"),
  );
  rmSync(other.file);
});
