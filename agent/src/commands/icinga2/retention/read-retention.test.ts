import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { test } from "node:test";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { importIcinga2SubCommand } from "../../import-icinga2.ts";
import { runSubCommand } from "../../run-sub-command.fixture.ts";
import { apiPackage, importIcingaStates, runtimeObject, type StateRecord, stateText } from "./icinga-state.fixture.ts";

const nowSeconds = Math.floor(systemClock.now() / 1000);
const ago = (seconds: number): number => nowSeconds - seconds;

const host = (more: object = {}, name = "web1"): StateRecord => ({
  type: "Host",
  name,
  update: {
    ...{ type: "Host", state_raw: 2, state_type: 1, check_attempt: 1, last_reachable: true, flapping: false },
    ...{ last_state_raw: 2, last_hard_state_raw: 2, last_state_up: ago(1_000), acknowledgement: 0 },
    ...{ last_state_change: ago(900), last_hard_state_change: ago(600), suppressed_notifications: 0 },
    last_check_result: {
      ...{ execution_start: ago(60), execution_end: ago(59), output: "no route\na\nb" },
      vars_before: { state: 2 },
    },
    ...more,
  },
});

const service = (more: object = {}): StateRecord => ({
  type: "Service",
  name: "web1!Disk",
  update: {
    ...{ type: "Service", state_raw: 1, state_type: 0, check_attempt: 2, last_state_raw: 0, last_hard_state_raw: 0 },
    ...{
      last_state_change: ago(30),
      last_hard_state_change: ago(5_000),
      acknowledgement: 0,
      acknowledgement_expiry: 0,
    },
    last_check_result: { execution_start: ago(30), output: "90 % used", vars_before: { state: 0 } },
    ...more,
  },
});

const notification = (name: string, users: readonly string[], number = 1): StateRecord => ({
  type: "Notification",
  name: `web1!${name}`,
  update: { notification_number: number, last_problem_notification: ago(300), notified_problem_users: users },
});

test("[IM7] status, attempt, output and times of an Icinga 2 are taken over", async (t) => {
  const { code, states, dataDir, stdout } = await importIcingaStates(t, stateText([host(), service()]));
  assert.equal(code, 0, stdout);
  assert.equal(statSync(dataDir).mode & 0o777, 0o700);
  const [down, soft] = [states.get("web1")?.state, states.get("web1!Disk")?.state];
  assert.deepEqual(down?.phase, { kind: "hard", status: "critical" });
  assert.deepEqual([down?.last?.output, down?.last?.longOutput], ["no route", "a\nb"]);
  assert.deepEqual(
    [down?.last?.executedAtMs, down?.lastChangeAtMs, down?.lastHardChangeAtMs, down?.lastOkAtMs],
    [ago(60), ago(900), ago(600), ago(1_000)].map((seconds) => seconds * 1_000),
  );
  assert.deepEqual(soft?.phase, { kind: "soft", status: "warning", attempt: 2 });
  assert.deepEqual([soft?.lastHardStatus, soft?.previousStatus], ["ok", "ok"]);
});

test("[IM7] a host with a warning is up, and one behind a failed parent is unreachable", async (t) => {
  const { states } = await importIcingaStates(
    t,
    stateText([host({ state_raw: 1 }), host({ last_reachable: false }, "web2"), service({ last_check_result: null })]),
  );
  assert.deepEqual(states.get("web1")?.state.phase, { kind: "ok" });
  assert.deepEqual(states.get("web2")?.state.phase, { kind: "hard", status: "unreachable" });
  assert.deepEqual(states.get("web1!Disk")?.state.phase, { kind: "pending" });
});

test("[IM8] the contacts whose users were notified count as notified, and decide the level", async (t) => {
  const problemOf = async (...records: readonly StateRecord[]) => {
    const { states, stdout } = await importIcingaStates(t, stateText([host(), ...records]));
    const state = states.get("web1")?.state.notificationState;
    assert.ok(state === undefined || state.problem.kind === "open", stdout);
    const { notified, announcement } = state?.problem.kind === "open" ? state.problem : {};
    return {
      notified,
      announced: announcement && [announcement.level, announcement.sentAtLevel],
      nextAtMs: announcement?.nextAtMs,
    };
  };
  const first = await problemOf(notification("first", ["ann"], 2), notification("late", [], 0));
  assert.deepEqual(first, {
    notified: { ann: { status: "critical", level: 0 } },
    announced: [0, 2],
    nextAtMs: (ago(300) + 3_600) * 1_000,
  });
  // The third notification reaches the second level; downtimes count there as notifications too.
  const many = await problemOf(notification("first", ["ann"], 9), notification("late", [], 0));
  assert.deepEqual([Object.keys(many.notified ?? {}), many.announced], [["ann"], [0, 2]]);
  const both = await problemOf(notification("first", ["ann"], 3), notification("late", ["boss"], 1));
  assert.deepEqual([Object.keys(both.notified ?? {}).length, both.announced], [2, [1, 1]]);
  assert.equal((await problemOf(notification("first", [], 3))).announced, undefined);
});

const about = { host_name: "web1", author: "ann", entry_time: ago(200), persistent: false };
const comment = (id: string, more: object): Readonly<Record<string, string>> => ({
  [`comments/web1!${id}.conf`]: runtimeObject("Comment", id, { ...about, entry_type: 1, expire_time: 0, ...more }),
});
const downtime = (id: string, more: object): Readonly<Record<string, string>> => ({
  [`downtimes/web1!${id}.conf`]: runtimeObject("Downtime", id, {
    ...{
      ...about,
      author: "bob",
      comment: id,
      config_owner: "",
      duration: 0,
      fixed: true,
      parent: "",
      scheduled_by: "",
    },
    ...{ start_time: ago(100), end_time: nowSeconds + 3_600, triggered_by: "", ...more },
  }),
});

test("[IM37] comments, and acknowledgements with their author and text, come from the package of the API", async (t) => {
  const files = apiPackage({
    ...comment("c1", { text: 'a "note"\nof two lines' }),
    ...comment("c2", { text: "gone", expire_time: ago(10) }),
    ...comment("c3", { text: "for a day", expire_time: nowSeconds + 86_400 }),
    ...comment("c4", { text: "on it", entry_type: 4 }),
    ...comment("c5", { text: "an earlier one", entry_type: 4, entry_time: ago(900), persistent: true }),
    ...comment("c6", { text: "its object is gone", host_name: "web9" }),
  });
  const acknowledged = {
    acknowledgement: 2,
    acknowledgement_expiry: nowSeconds + 60,
    acknowledgement_last_change: ago(200),
  };
  const { code, states, stdout } = await importIcingaStates(t, stateText([host(acknowledged)]), { files });
  const { comments, acknowledgement } = states.get("web1")?.state ?? {};
  assert.deepEqual(
    comments?.map(({ text, author }) => [text, author]),
    [
      ['a "note"\nof two lines', "ann"],
      ["for a day", "ann"],
      ["an earlier one", "ann"],
    ],
  );
  assert.deepEqual(acknowledgement, {
    ...{ author: "ann", onBehalfOf: "", comment: "on it", sticky: true },
    ...{ atMs: ago(200) * 1_000, expiresAtMs: (nowSeconds + 60) * 1_000 },
  });
  assert.equal(code, 3);
  assert.match(stdout, /comments\/web1!c3\.conf:1: Comment web1!c3: approximated: it does not expire/);
  assert.match(
    stdout,
    /comments\/web1!c6\.conf:1: retained Comment web9: unsupported: the document has no such object/,
  );
});

test("[IM37] downtimes that have not ended are taken over with their kind, window and what they belong to", async (t) => {
  const flexible = { fixed: false, duration: 600 };
  const files = apiPackage({
    ...downtime("d1", {}),
    ...downtime("d2", { end_time: ago(1) }),
    ...downtime("d3", flexible),
    ...downtime("d4", flexible),
    ...downtime("d5", { ...flexible, triggered_by: "web1!d3" }),
    ...downtime("d6", { service_name: "Disk", parent: "web1!d1" }),
    ...downtime("d7", { start_time: nowSeconds + 60 }),
    ...downtime("d8", { host_name: "web2", comment: "Backups run", scheduled_by: "web2!backup" }),
    ...downtime("d9", { host_name: "web2", comment: "of a template that is gone", scheduled_by: "web2!old" }),
  });
  const triggered = (id: string): StateRecord => ({
    type: "Downtime",
    name: `web1!${id}`,
    update: { trigger_time: ago(50) },
  });
  const { code, states, stdout } = await importIcingaStates(t, stateText([host(), triggered("d3"), triggered("d5")]), {
    files,
  });
  assert.equal(code, 0, stdout);
  const downtimes = states.get("web1")?.state.downtimes ?? [];
  assert.deepEqual(
    downtimes.map((each) => [each.comment, each.author, each.shape.kind, each.inEffect]),
    [
      ["d1", "bob", "fixed", true],
      ["d3", "bob", "flexible", true],
      ["d4", "bob", "flexible", false],
      ["d5", "bob", "triggered", true],
      ["d7", "bob", "fixed", false],
    ],
  );
  const [fixed, begun, , after] = downtimes;
  const active = { fromMs: ago(50) * 1_000, untilMs: (ago(50) + 600) * 1_000 };
  assert.deepEqual(begun?.shape, { kind: "flexible", durationMs: 600_000, active });
  assert.deepEqual(after?.shape, { kind: "triggered", triggeredBy: begun?.id, active });
  assert.equal(states.get("web1!Disk")?.state.downtimes[0]?.changeId, fixed?.id);
  assert.deepEqual(
    states.get("web2")?.state.downtimes.map((each) => each.comment),
    ["of a template that is gone"],
  );
});

test("[IM37] comments and downtimes without a file, and files that cannot be read, are reported", async (t) => {
  const lost = await importIcingaStates(
    t,
    stateText([host({ acknowledgement: 1 }), { type: "Comment", name: "web1!c1", update: { legacy_id: 1 } }]),
  );
  assert.equal(lost.code, 3);
  assert.match(
    lost.stdout,
    /icinga2\.state:1: Comment web1!c1: unsupported: its text and times are not in lib\/api\/packages\/_api/,
  );
  assert.match(lost.stdout, /icinga2\.state:1: Host web1: approximated: its acknowledgement has no author/);
  assert.equal(lost.states.get("web1")?.state.acknowledgement?.sticky, false);

  const files = apiPackage({
    "downtimes/a.conf": 'object Downtime "a" {\n',
    ...downtime("b", { end_time: "never" }),
    ...downtime("d1", {}),
  });
  const broken = await importIcingaStates(t, stateText([host()]), { files });
  assert.equal(broken.code, 3);
  assert.match(broken.stdout, /downtimes\/a\.conf:1: file .*: unsupported: the block has no closing brace/);
  assert.match(broken.stdout, /Downtime web1!b: unsupported: start_time and end_time must be numbers/);
  assert.equal(broken.states.get("web1")?.state.downtimes.length, 1);

  const outside = { ...files, "lib/api/packages/_api/active-stage": "../../../.." };
  const stage = await importIcingaStates(t, stateText([host()]), { files: outside });
  assert.match(stage.stdout, /_api\/active-stage:1: file .*: unsupported: must have the name of a stage/);
});

test("[IM38] toggles that were turned off at run time are taken over, other attributes are reported", async (t) => {
  const text = `var obj = get_object("Host", "web1")
if (obj) {
\tobj.modify_attribute("enable_notifications", false)
\tobj.modify_attribute("enable_flapping", true)
\tobj.modify_attribute("check_interval", 30.000000)
\tobj.version = 1795913088.915524
}
var obj = get_object("IcingaApplication", "app")
if (obj) {
\tobj.modify_attribute("enable_notifications", false)
}
`;
  const files = { "lib/modified-attributes.conf": text };
  const { code, states, stdout } = await importIcingaStates(t, stateText([host()]), { files });
  const toggles = states.get("web1")?.state.toggles;
  assert.deepEqual([toggles?.notifications, toggles?.activeChecks, toggles?.flapDetection], [false, true, true]);
  assert.equal(code, 3);
  assert.match(stdout, /modified-attributes\.conf:5: Host web1: unsupported: check_interval was changed at run time/);
  assert.match(
    stdout,
    /modified-attributes\.conf:10: IcingaApplication app: unsupported: enable_notifications was changed/,
  );

  const broken = { "lib/modified-attributes.conf": '\nvar obj = get_object("Host' };
  const unread = await importIcingaStates(t, stateText([host()]), { files: broken });
  assert.match(unread.stdout, /modified-attributes\.conf:2: file .*: unsupported: the string has no closing quote/);
});

test("[IM9] states of an Icinga 2 without an object, and what begins anew, are reported", async (t) => {
  const flapping = { flapping: true, suppressed_notifications: 64 };
  const { code, stdout } = await importIcingaStates(t, stateText([host({}, "gone"), host(flapping)]));
  assert.equal(code, 3);
  assert.match(stdout, /icinga2\.state:1: retained Host gone: unsupported: the document has no such object/);
  assert.match(stdout, /icinga2\.state:1: Host web1: approximated: it is flapping/);
  assert.match(
    stdout,
    /icinga2\.state:1: Host web1: approximated: its recovery, which was suppressed, is not notified/,
  );
  const used = await importIcingaStates(t, stateText([host()]), { flags: ["-data-dir", "/"] });
  assert.deepEqual([used.code, used.stderr], [1, "-data-dir / must be empty or new"]);
});

test("[IM16] -retention of Icinga 2 needs -data-dir", async () => {
  const { code, stderr } = await runSubCommand(importIcinga2SubCommand, [
    ".",
    "-out",
    "/nowhere/x.cue",
    "-retention",
    "x",
  ]);
  assert.deepEqual(
    [code, stderr],
    [2, "realmwatch-agent: -retention and -data-dir need each other: give both or none"],
  );
});
