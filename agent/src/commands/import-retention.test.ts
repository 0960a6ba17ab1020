import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { type ImportedStates, withImportedStates } from "./import/retention/imported-states.fixture.ts";
import { importNagiosSubCommand } from "./import-nagios.ts";
import { runSubCommand } from "./run-sub-command.fixture.ts";

const objects = `
define command{
  command_name check
  command_line /opt/check
}
define command{
  command_name page
  command_line /opt/page
}
define contact{
  contact_name ann
  host_notification_options d,u,r,f,s
  service_notification_options w,u,c,r,f,s
  service_notification_commands page
}
define contact{
  contact_name boss
  host_notification_options d,u,r,f,s
  service_notification_options w,u,c,r,f,s
  service_notification_commands page
}
define host{
  host_name web1
  check_command check
  max_check_attempts 5
  contacts ann
  notification_interval 60
}
define service{
  host_name web1
  service_description Disk
  check_command check
  max_check_attempts 3
}
define hostescalation{
  host_name web1
  first_notification 2
  contacts boss
}
`;

const nowSeconds = Math.floor(systemClock.now() / 1000);
const ago = (seconds: number): number => nowSeconds - seconds;
const block = (type: string, values: Readonly<Record<string, string | number>>): string =>
  `${type} {\n${Object.entries(values)
    .map(([name, value]) => `${name}=${value}\n`)
    .join("")}}\n`;
const down = {
  ...{ host_name: "web1", has_been_checked: 1, current_state: 1, last_state: 1, last_hard_state: 1, state_type: 1 },
  ...{ current_attempt: 5, plugin_output: "no = route", long_plugin_output: "a\\nb", last_check: ago(60) },
  ...{ last_state_change: ago(900), last_hard_state_change: ago(600), current_notification_number: 2 },
  last_host_notification: ago(300),
};
const soft = {
  ...{ host_name: "web1", service_description: "Disk", has_been_checked: 1, current_state: 2, state_type: 0 },
  ...{ current_attempt: 2, last_check: ago(30), last_state_change: ago(30) },
};

async function importStates(t: TestContext, retention: string, flags: readonly string[] = []): Promise<ImportedStates> {
  const folder = mkdtempSync(join(tmpdir(), "import-retention-"));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "nagios.cfg"), "cfg_file=objects.cfg\n");
  writeFileSync(join(folder, "objects.cfg"), objects);
  writeFileSync(join(folder, "retention.dat"), retention);
  const dataDir = join(folder, "data");
  const output = await runSubCommand(importNagiosSubCommand, [
    ...[join(folder, "nagios.cfg"), "-out", join(folder, "out.cue"), "-realm", "fra"],
    ...["-retention", join(folder, "retention.dat"), "-data-dir", dataDir, ...flags],
  ]);
  return withImportedStates(output, dataDir);
}

test("[IM7] status, attempt, output and times of hard and soft problems are taken over", async (t) => {
  const { code, states, dataDir } = await importStates(
    t,
    block("info", {}) + block("host", down) + block("service", soft),
  );
  assert.equal(code, 0);
  assert.equal(statSync(dataDir).mode & 0o777, 0o700);
  const [host, service] = [states.get("web1")?.state, states.get("web1!Disk")?.state];
  assert.deepEqual(host?.phase, { kind: "hard", status: "critical" });
  assert.equal(host?.lastHardStatus, "critical");
  assert.equal(host?.last?.output, "no = route");
  assert.equal(host?.last?.longOutput, "a\nb");
  assert.equal(host?.lastHardChangeAtMs, ago(600) * 1000);
  assert.deepEqual(service?.phase, { kind: "soft", status: "critical", attempt: 2 });
  assert.equal(service?.lastHardStatus, "ok");
});

test("[IM8] a problem that was notified stays notified, at its level, and is repeated on time", async (t) => {
  const { states } = await importStates(t, block("host", down));
  const problem = states.get("web1")?.state.notificationState?.problem;
  assert.ok(problem?.kind === "open");
  assert.deepEqual(problem.notified, {
    ann: { status: "critical", level: 0 },
    boss: { status: "critical", level: 1 },
  });
  const { announcement } = problem;
  assert.deepEqual([announcement?.level, announcement?.sentAtLevel, announcement?.number], [1, 1, 2]);
  assert.equal(announcement?.nextAtMs, (ago(300) + 3600) * 1000);
});

test("[IM7] acknowledgements, comments of users and downtimes that have not ended are taken over", async (t) => {
  const comment = (entry: number, text: string) =>
    block("hostcomment", {
      host_name: "web1",
      entry_type: entry,
      comment_id: entry,
      author: "ann",
      comment_data: text,
    });
  const downtime = (id: number, endsIn: number, more: Readonly<Record<string, number>>) =>
    block("hostdowntime", {
      ...{ host_name: "web1", downtime_id: id, start_time: ago(100), end_time: nowSeconds + endsIn, author: "bob" },
      ...{ is_in_effect: 1, triggered_by: 0, fixed: 1, duration: 600, comment: "x", ...more },
    });
  const { states } = await importStates(
    t,
    block("host", { ...down, problem_has_been_acknowledged: 1, acknowledgement_type: 2 }) +
      comment(1, "a note") +
      comment(2, "of a downtime") +
      comment(4, "on it") +
      downtime(1, 3600, {}) +
      downtime(2, -10, {}) +
      downtime(3, 3600, { fixed: 0, flex_downtime_start: ago(50) }) +
      downtime(4, 3600, { triggered_by: 1, flex_downtime_start: ago(40) }),
  );
  const state = states.get("web1")?.state;
  assert.deepEqual([state?.acknowledgement?.comment, state?.acknowledgement?.sticky], ["on it", true]);
  assert.deepEqual(
    state?.comments.map(({ text }) => text),
    ["a note"],
  );
  const [fixed, flexible, triggered] = state?.downtimes ?? [];
  assert.equal(state?.downtimes.length, 3);
  assert.deepEqual([fixed?.shape, fixed?.inEffect], [{ kind: "fixed" }, true]);
  const flexibleWindow = { fromMs: ago(50) * 1000, untilMs: (ago(50) + 600) * 1000 };
  assert.deepEqual(flexible?.shape, { kind: "flexible", durationMs: 600_000, active: flexibleWindow });
  assert.ok(triggered?.shape.kind === "triggered" && triggered.shape.triggeredBy === fixed?.id);
});

test("[IM7] only toggles that were changed at run time are taken over", async (t) => {
  const { states } = await importStates(
    t,
    block("host", { ...down, modified_attributes: 2, active_checks_enabled: 0, notifications_enabled: 0 }),
  );
  const toggles = states.get("web1")?.state.toggles;
  assert.deepEqual([toggles?.activeChecks, toggles?.notifications], [false, true]);
});

test("[IM9] states without an object are reported; a used data directory and broken files are refused", async (t) => {
  const unknown = await importStates(t, block("host", { ...down, host_name: "gone" }));
  assert.equal(unknown.code, 3);
  assert.match(unknown.stdout, /retention\.dat:1: retained host gone: unsupported: the document has no such object/);
  const broken = await importStates(t, "host {\nno value\n}\n");
  assert.equal(broken.code, 1);
  assert.match(broken.stderr, /retention\.dat:2: expected name=value$/);
  const used = await importStates(t, block("host", down), ["-data-dir", tmpdir()]);
  assert.deepEqual([used.code, used.stderr], [1, `-data-dir ${tmpdir()} must be empty or new`]);
});
