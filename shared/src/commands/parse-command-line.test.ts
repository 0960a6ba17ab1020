import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type ObjectKey, refOf } from "../model/object-key.ts";
import { allProgramTogglesOn } from "../model/toggles.ts";
import { parsePerfdata } from "../text/plugin/parse-perfdata.ts";
import type { CommandRealm } from "./command-realm.ts";
import { commandLines, parseCommandLine } from "./parse-command-line.ts";

const planOf = (key: ObjectKey) => ({ key, ref: refOf(key) });
const host = planOf({ kind: "host", name: "web1" });
const service = planOf({ kind: "service", host: "web1", name: "http" });
const child = planOf({ kind: "host", name: "db1" });
const plans = [
  { ...host, services: [service.ref], children: [child.ref] },
  service,
  { ...child, services: [], children: [] },
];
const downtime = { startMs: 10_000, endMs: 20_000, comment: "a;b" };
const stateOf = (ref: string) => ({
  last: { executedAtMs: 1_700_000_000_400 },
  toggles: { activeChecks: ref !== host.ref },
  downtimes: [
    { id: "42", startMs: 10_400, comment: "x" },
    { id: "43", startMs: 11_000, comment: "patch" },
    { id: "77", startMs: 10_000, comment: "a;b" },
  ],
});
const realm = {
  plan: { contacts: new Map([["ann", {}]]), recurringDowntimes: [], views: [] },
  program: { toggles: allProgramTogglesOn },
  records: new Map(plans.map((plan) => [plan.ref, { plan, state: stateOf(plan.ref) }])),
  commentRefs: new Map([
    ["1", host.ref],
    ["2", service.ref],
    ["3", service.ref],
  ]),
  downtimeRefs: new Map([
    ["42", service.ref],
    ["43", host.ref],
    ["77", service.ref],
  ]),
} as unknown as CommandRealm;

const taken: readonly (readonly [line: string, commands: readonly object[], author?: string, after?: string])[] = [
  [
    "PROCESS_SERVICE_CHECK_RESULT;web1;http;2;down | t=1;2;3",
    [
      {
        kind: "process_check_results",
        results: [
          {
            ref: "web1!http",
            status: "critical",
            output: "down",
            longOutput: "",
            perfdata: parsePerfdata("t=1;2;3"),
            executedAtMs: 1_700_000_000_400,
            executionMs: undefined,
            checkSource: "",
          },
        ],
      },
    ],
  ],
  [
    "PROCESS_HOST_CHECK_RESULT;web1;1;",
    [
      {
        kind: "process_check_results",
        results: [
          {
            ref: "web1",
            status: "critical",
            output: "(No output returned from plugin)",
            longOutput: "",
            perfdata: [],
            executedAtMs: 1_700_000_000_400,
            executionMs: undefined,
            checkSource: "",
          },
        ],
      },
    ],
  ],
  [
    "ACKNOWLEDGE_SVC_PROBLEM;web1;http;2;1;0;ann;on it; soon",
    [{ kind: "acknowledge_problem", refs: ["web1!http"], sticky: true, notify: true, comment: "on it; soon" }],
    "ann",
  ],
  [
    "ACKNOWLEDGE_HOST_PROBLEM;web1;1;0;0;ann;x",
    [{ kind: "acknowledge_problem", refs: ["web1"], sticky: false, notify: false, comment: "x" }],
    "ann",
  ],
  [
    "ACKNOWLEDGE_SVC_PROBLEM_EXPIRE;web1;http;2;0;0;99;ann;x",
    [
      {
        kind: "acknowledge_problem",
        refs: ["web1!http"],
        sticky: true,
        notify: false,
        comment: "x",
        expiresAtMs: 99_000,
      },
    ],
    "ann",
  ],
  [
    "ACKNOWLEDGE_HOST_PROBLEM_EXPIRE;web1;0;0;0;99;ann;x",
    [{ kind: "acknowledge_problem", refs: ["web1"], sticky: false, notify: false, comment: "x", expiresAtMs: 99_000 }],
    "ann",
  ],
  ["REMOVE_SVC_ACKNOWLEDGEMENT;web1;http", [{ kind: "remove_acknowledgement", refs: ["web1!http"] }]],
  ["REMOVE_HOST_ACKNOWLEDGEMENT;web1", [{ kind: "remove_acknowledgement", refs: ["web1"] }]],
  [
    "SCHEDULE_SVC_DOWNTIME;web1;http;10;20;1;0;7200;ann;a;b",
    [
      {
        kind: "schedule_downtime",
        downtimes: [{ id: "id1", ref: "web1!http" }],
        ...downtime,
        shape: { kind: "fixed" },
        changeId: "id1",
      },
    ],
    "ann",
  ],
  [
    "SCHEDULE_HOST_DOWNTIME;web1;10;20;0;77;7200;ann;a;b",
    [
      {
        kind: "schedule_downtime",
        downtimes: [{ id: "id1", ref: "web1" }],
        ...downtime,
        shape: { kind: "triggered", triggeredBy: "77" },
        changeId: "id1",
      },
    ],
    "ann",
    "stored",
  ],
  [
    "SCHEDULE_HOST_DOWNTIME;web1;10;20;0;0;7200;ann;a;b",
    [
      {
        kind: "schedule_downtime",
        downtimes: [{ id: "id1", ref: "web1" }],
        ...downtime,
        shape: { kind: "flexible", durationMs: 7_200_000 },
        changeId: "id1",
      },
    ],
    "ann",
  ],
  [
    "SCHEDULE_HOST_SVC_DOWNTIME;web1;10;20;1;0;7200;ann;a;b",
    [
      {
        kind: "schedule_downtime",
        downtimes: [{ id: "id1", ref: "web1!http" }],
        ...downtime,
        shape: { kind: "fixed" },
        changeId: "id1",
      },
    ],
    "ann",
  ],
  [
    "SCHEDULE_AND_PROPAGATE_HOST_DOWNTIME;web1;10;20;1;0;7200;ann;a;b",
    [
      {
        kind: "schedule_downtime",
        downtimes: [
          { id: "id1", ref: "web1" },
          { id: "id2", ref: "db1" },
        ],
        ...downtime,
        shape: { kind: "fixed" },
        changeId: "id1",
      },
    ],
    "ann",
  ],
  [
    "SCHEDULE_AND_PROPAGATE_TRIGGERED_HOST_DOWNTIME;web1;10;20;1;0;7200;ann;a;b",
    [
      {
        kind: "schedule_downtime",
        downtimes: [{ id: "id1", ref: "web1" }],
        ...downtime,
        shape: { kind: "fixed" },
        changeId: "id1",
      },
      {
        kind: "schedule_downtime",
        downtimes: [{ id: "id2", ref: "db1" }],
        ...downtime,
        shape: { kind: "triggered", triggeredBy: "id1" },
        changeId: "id1",
      },
    ],
    "ann",
  ],
  ["DEL_SVC_DOWNTIME;42", [{ kind: "delete_downtime", ref: "web1!http", id: "42" }], "", "stored"],
  ["DEL_HOST_DOWNTIME;43", [{ kind: "delete_downtime", ref: "web1", id: "43" }], "", "stored"],
  [
    "DEL_DOWNTIME_BY_HOST_NAME;web1",
    [
      { kind: "delete_downtime", ref: "web1!http", id: "42" },
      { kind: "delete_downtime", ref: "web1", id: "43" },
      { kind: "delete_downtime", ref: "web1!http", id: "77" },
    ],
    "",
    "applied",
  ],
  [
    "DEL_DOWNTIME_BY_HOST_NAME;web1;http;10;a;b",
    [{ kind: "delete_downtime", ref: "web1!http", id: "77" }],
    "",
    "applied",
  ],
  ["DEL_DOWNTIME_BY_HOST_NAME;web1;;;patch", [{ kind: "delete_downtime", ref: "web1", id: "43" }], "", "applied"],
  ["DEL_DOWNTIME_BY_START_TIME_COMMENT;10;x", [{ kind: "delete_downtime", ref: "web1!http", id: "42" }], "", "applied"],
  [
    "ADD_HOST_COMMENT;web1;1;ann;hello; you",
    [{ kind: "add_comment", ref: "web1", id: "id1", text: "hello; you" }],
    "ann",
  ],
  ["ADD_SVC_COMMENT;web1;http;1;ann;hi", [{ kind: "add_comment", ref: "web1!http", id: "id1", text: "hi" }], "ann"],
  ["DEL_HOST_COMMENT;1", [{ kind: "delete_comment", ref: "web1", id: "1" }], "", "stored"],
  ["DEL_SVC_COMMENT;2", [{ kind: "delete_comment", ref: "web1!http", id: "2" }], "", "stored"],
  ["DEL_ALL_HOST_COMMENTS;web1", [{ kind: "delete_comment", ref: "web1", id: "1" }], "", "stored"],
  [
    "DEL_ALL_SVC_COMMENTS;web1;http",
    [
      { kind: "delete_comment", ref: "web1!http", id: "2" },
      { kind: "delete_comment", ref: "web1!http", id: "3" },
    ],
    "",
    "stored",
  ],
  [
    "SEND_CUSTOM_SVC_NOTIFICATION;web1;http;2;ann;hi",
    [{ kind: "send_custom_notification", refs: ["web1!http"], comment: "hi" }],
    "ann",
  ],
  [
    "SEND_CUSTOM_HOST_NOTIFICATION;web1;0;ann;hi",
    [{ kind: "send_custom_notification", refs: ["web1"], comment: "hi" }],
    "ann",
  ],
  ["SCHEDULE_SVC_CHECK;web1;http;1", [{ kind: "schedule_check", refs: ["web1!http"] }]],
  ["SCHEDULE_FORCED_HOST_CHECK;web1;1", [{ kind: "schedule_check", refs: ["web1"] }]],
  ["SCHEDULE_FORCED_HOST_SVC_CHECKS;web1;1", [{ kind: "schedule_check", refs: ["web1!http"] }]],
  ["DISABLE_HOST_SVC_NOTIFICATIONS;web1", [{ kind: "set_object_notifications", refs: ["web1!http"], enabled: false }]],
  [
    "ENABLE_SVC_CHECK;web1;http",
    [{ kind: "set_object_toggle", refs: ["web1!http"], toggle: "activeChecks", enabled: true }],
  ],
  [
    "DISABLE_PASSIVE_HOST_CHECKS;web1",
    [{ kind: "set_object_toggle", refs: ["web1"], toggle: "passiveChecks", enabled: false }],
  ],
  ["DISABLE_NOTIFICATIONS", [{ kind: "set_program_notifications", enabled: false }]],
  ["STOP_EXECUTING_SVC_CHECKS", [{ kind: "set_program_toggle", toggle: "activeChecks", enabled: false }]],
  ["START_ACCEPTING_PASSIVE_SVC_CHECKS", [{ kind: "set_program_toggle", toggle: "passiveChecks", enabled: true }]],
  ["DISABLE_CONTACT_SVC_NOTIFICATIONS;ann", [{ kind: "set_contact_notifications", contact: "ann", enabled: false }]],
];
for (const [line, commands, author = "", after] of taken)
  test(`[XC1] ${line}`, () => {
    const parsed = parseCommandLine(`[1700000000] ${line}`);
    assert.ok(parsed.ok, JSON.stringify(parsed));
    assert.deepEqual([parsed.value.atMs, parsed.value.after], [1_700_000_000_000, after]);
    let minted = 0;
    const resolved = parsed.value.resolve({ realm, mintId: () => `id${++minted}` });
    assert.deepEqual(resolved, { ok: true, value: { commands, by: { author, onBehalfOf: "" } } });
  });

const unresolved: readonly (readonly [line: string, why: string])[] = [
  ["ADD_HOST_COMMENT;web2;1;ann;hi", 'host "web2" does not exist'],
  ["DISABLE_HOST_SVC_CHECKS;db1", 'host "db1" has no services'],
  ["SCHEDULE_HOST_CHECK;web1;1", "active checks are disabled; a forced check runs nevertheless"],
  ["DEL_SVC_COMMENT;1", 'no service has a comment "1"'],
  ["DISABLE_CONTACT_SVC_NOTIFICATIONS;bob", 'contact "bob" does not exist'],
  ["DEL_DOWNTIME_BY_HOST_NAME;db1", "no such downtime exists"],
  ["PROCESS_HOST_CHECK_RESULT;web1;3;x", "return code 3 is out of range 0-2"],
];
for (const [line, why] of unresolved)
  test(`[XC2] ${line} is refused by the realm`, () => {
    const parsed = parseCommandLine(`[1] ${line}`);
    assert.deepEqual(parsed.ok && parsed.value.resolve({ realm, mintId: () => "" }), { ok: false, error: why });
  });

const result = "PROCESS_SERVICE_CHECK_RESULT";
const refused: readonly (readonly [line: string, name: string, why: RegExp])[] = [
  ["", "", /not of the form/],
  ["hello", "", /not of the form/],
  [`1 ${result};a;b;0;x`, "", /not of the form/],
  [`[1]${result};a;b;0;x`, "", /not of the form/],
  [`[1]  ${result};a;b;0;x`, "", /not of the form/],
  ["[1] ", "", /not of the form/],
  ["[1] ../../etc/passwd", "", /not of the form/],
  [`[-1] ${result};a;b;0;x`, result, /not a Unix time/],
  [`[1e99] ${result};a;b;0;x`, result, /not a Unix time/],
  [`[999999999999] ${result};a;b;0;x`, result, /not a Unix time/],
  [`[] ${result};a;b;0;x`, result, /not a Unix time/],
  [`[1] ${result};a;b;0`, result, /has 3 arguments and needs 4/],
  [`[1] ${result}`, result, /has 0 arguments and needs 4/],
  [`[1] ${result};a;b;zero;x`, result, /argument 3 \(code\) is not a whole number/],
  [`[1] ${result};;b;0;x`, result, /argument 1 \(host\) is empty/],
  [`[1] ${result};a;b;0;x\0y`, "", /NUL/],
  ["[1] DISABLE_NOTIFICATIONS;now", "DISABLE_NOTIFICATIONS", /takes no arguments/],
  [
    "[1] SCHEDULE_SVC_DOWNTIME;a;b;-5;20;1;0;7200;ann;x",
    "SCHEDULE_SVC_DOWNTIME",
    /argument 3 \(start\) is not a Unix time/,
  ],
  ["[1] SCHEDULE_SVC_DOWNTIME;a;b;5;20;1;0;1e99;ann;x", "SCHEDULE_SVC_DOWNTIME", /argument 7 \(duration\)/],
  ["[1] DEL_DOWNTIME_BY_HOST_NAME;", "DEL_DOWNTIME_BY_HOST_NAME", /is empty/],
  ["[1] MAKE_COFFEE;now", "MAKE_COFFEE", /not a supported command/],
  ["[1] toString", "toString", /not a supported command/],
  ["[1] _MY_OWN;x", "_MY_OWN", /custom command/],
];
for (const [line, name, why] of refused)
  test(`[XC1, XC2] ${JSON.stringify(line)} is refused`, () => {
    const parsed = parseCommandLine(line);
    assert.ok(!parsed.ok);
    assert.equal(parsed.error.name, name);
    assert.match(parsed.error.why, why);
  });

for (const name of [
  "PROCESS_FILE",
  "CHANGE_SVC_CHECK_COMMAND",
  "CHANGE_HOST_EVENT_HANDLER",
  "SHUTDOWN_PROGRAM",
  "RESTART_PROGRAM",
])
  test(`[XC3] ${name} is refused by name`, () => {
    const parsed = parseCommandLine(`[1] ${name};/etc/passwd;0`);
    assert.deepEqual(parsed.ok ? "" : parsed.error, { name, why: `${name} is refused over the command file` });
  });

test("[XC1] a carriage return at the end of a line is removed", () => {
  const parsed = parseCommandLine("[1] DISABLE_NOTIFICATIONS\r");
  assert.equal(parsed.ok && parsed.value.name, "DISABLE_NOTIFICATIONS");
});

test("[XC1] no line makes the parser throw, and accepted lines have a known name", () => {
  const name = fc.constantFrom(...commandLines.keys());
  const args = fc.array(fc.oneof(fc.string(), fc.integer().map(String), fc.constantFrom("", "\r", "é", "\u2028")));
  const line = fc.oneof(
    fc.string(),
    fc
      .tuple(fc.oneof(fc.nat().map(String), fc.string()), name, args)
      .map(([time, is, words]) => [`[${time}] ${is}`, ...words].join(";")),
  );
  fc.assert(
    fc.property(line, (text) => {
      const parsed = parseCommandLine(text);
      if (parsed.ok) assert.ok(commandLines.has(parsed.value.name));
      else assert.notEqual(parsed.error.why, "");
    }),
    { numRuns: 5_000 },
  );
});
