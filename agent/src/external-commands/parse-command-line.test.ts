import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { externalCommandParsers } from "./command-table.ts";
import { LineSplitter, maxLineBytes } from "./line-splitter.ts";
import { parseCommandLine } from "./parse-command-line.ts";

const downtime = { startMs: 10_000, endMs: 20_000, durationMs: 7_200_000, author: "ann", comment: "a;b" };
const host = { kind: "host", host: "web1" };
const service = { kind: "service", host: "web1", service: "http" };
const services = { kind: "services", host: "web1" };

const taken: readonly (readonly [line: string, command: object])[] = [
  [
    "PROCESS_SERVICE_CHECK_RESULT;web1;http;2;down | t=1;2;3",
    { kind: "result", object: service, code: 2, output: "down | t=1;2;3" },
  ],
  ["PROCESS_HOST_CHECK_RESULT;web1;1;", { kind: "result", object: host, code: 1, output: "" }],
  [
    "ACKNOWLEDGE_SVC_PROBLEM;web1;http;2;1;0;ann;on it; soon",
    { kind: "acknowledge", object: service, sticky: true, notify: true, author: "ann", comment: "on it; soon" },
  ],
  [
    "ACKNOWLEDGE_HOST_PROBLEM;web1;1;0;0;ann;x",
    { kind: "acknowledge", object: host, sticky: false, notify: false, author: "ann", comment: "x" },
  ],
  [
    "ACKNOWLEDGE_SVC_PROBLEM_EXPIRE;web1;http;2;0;0;99;ann;x",
    {
      kind: "acknowledge",
      object: service,
      sticky: true,
      notify: false,
      expiresAtMs: 99_000,
      author: "ann",
      comment: "x",
    },
  ],
  [
    "ACKNOWLEDGE_HOST_PROBLEM_EXPIRE;web1;0;0;0;99;ann;x",
    {
      kind: "acknowledge",
      object: host,
      sticky: false,
      notify: false,
      expiresAtMs: 99_000,
      author: "ann",
      comment: "x",
    },
  ],
  ["REMOVE_SVC_ACKNOWLEDGEMENT;web1;http", { kind: "remove_acknowledgement", object: service }],
  ["REMOVE_HOST_ACKNOWLEDGEMENT;web1", { kind: "remove_acknowledgement", object: host }],
  [
    "SCHEDULE_SVC_DOWNTIME;web1;http;10;20;1;0;7200;ann;a;b",
    { kind: "downtime", objects: service, children: "none", fixed: true, trigger: "0", ...downtime },
  ],
  [
    "SCHEDULE_HOST_DOWNTIME;web1;10;20;0;77;7200;ann;a;b",
    { kind: "downtime", objects: host, children: "none", fixed: false, trigger: "77", ...downtime },
  ],
  [
    "SCHEDULE_HOST_SVC_DOWNTIME;web1;10;20;1;0;7200;ann;a;b",
    { kind: "downtime", objects: services, children: "none", fixed: true, trigger: "0", ...downtime },
  ],
  [
    "SCHEDULE_AND_PROPAGATE_HOST_DOWNTIME;web1;10;20;1;0;7200;ann;a;b",
    { kind: "downtime", objects: host, children: "same", fixed: true, trigger: "0", ...downtime },
  ],
  [
    "SCHEDULE_AND_PROPAGATE_TRIGGERED_HOST_DOWNTIME;web1;10;20;1;0;7200;ann;a;b",
    { kind: "downtime", objects: host, children: "triggered", fixed: true, trigger: "0", ...downtime },
  ],
  ["DEL_SVC_DOWNTIME;42", { kind: "delete_downtime", of: "service", id: "42" }],
  ["DEL_HOST_DOWNTIME;0abc", { kind: "delete_downtime", of: "host", id: "0abc" }],
  ["DEL_DOWNTIME_BY_HOST_NAME;web1", { kind: "delete_downtimes", host: "web1" }],
  [
    "DEL_DOWNTIME_BY_HOST_NAME;web1;http;10;a;b",
    { kind: "delete_downtimes", host: "web1", service: "http", startMs: 10_000, comment: "a;b" },
  ],
  ["DEL_DOWNTIME_BY_HOST_NAME;web1;;;patch", { kind: "delete_downtimes", host: "web1", comment: "patch" }],
  ["DEL_DOWNTIME_BY_START_TIME_COMMENT;10;x", { kind: "delete_downtimes", startMs: 10_000, comment: "x" }],
  ["ADD_HOST_COMMENT;web1;1;ann;hello; you", { kind: "add_comment", object: host, author: "ann", text: "hello; you" }],
  ["ADD_SVC_COMMENT;web1;http;1;ann;hi", { kind: "add_comment", object: service, author: "ann", text: "hi" }],
  ["DEL_HOST_COMMENT;1", { kind: "delete_comment", of: "host", id: "1" }],
  ["DEL_SVC_COMMENT;1", { kind: "delete_comment", of: "service", id: "1" }],
  ["DEL_ALL_HOST_COMMENTS;web1", { kind: "delete_comments", object: host }],
  ["DEL_ALL_SVC_COMMENTS;web1;http", { kind: "delete_comments", object: service }],
  [
    "SEND_CUSTOM_SVC_NOTIFICATION;web1;http;2;ann;hi",
    { kind: "notify", object: service, author: "ann", comment: "hi" },
  ],
  ["SEND_CUSTOM_HOST_NOTIFICATION;web1;0;ann;hi", { kind: "notify", object: host, author: "ann", comment: "hi" }],
  ["SCHEDULE_SVC_CHECK;web1;http;1", { kind: "check", objects: service, forced: false }],
  ["SCHEDULE_FORCED_HOST_CHECK;web1;1", { kind: "check", objects: host, forced: true }],
  ["SCHEDULE_FORCED_HOST_SVC_CHECKS;web1;1", { kind: "check", objects: services, forced: true }],
  [
    "DISABLE_HOST_SVC_NOTIFICATIONS;web1",
    { kind: "object_toggle", objects: services, toggle: "notifications", enabled: false },
  ],
  ["ENABLE_SVC_CHECK;web1;http", { kind: "object_toggle", objects: service, toggle: "activeChecks", enabled: true }],
  [
    "DISABLE_PASSIVE_HOST_CHECKS;web1",
    { kind: "object_toggle", objects: host, toggle: "passiveChecks", enabled: false },
  ],
  ["DISABLE_NOTIFICATIONS", { kind: "program_toggle", toggle: "notifications", enabled: false }],
  ["STOP_EXECUTING_SVC_CHECKS", { kind: "program_toggle", toggle: "activeChecks", enabled: false }],
  ["START_ACCEPTING_PASSIVE_SVC_CHECKS", { kind: "program_toggle", toggle: "passiveChecks", enabled: true }],
  ["DISABLE_CONTACT_SVC_NOTIFICATIONS;ann", { kind: "contact_toggle", contact: "ann", enabled: false }],
];
for (const [line, command] of taken)
  test(`[XC1] ${line}`, () => {
    const parsed = parseCommandLine(`[1700000000] ${line}`);
    assert.ok(parsed.ok, JSON.stringify(parsed));
    assert.equal(parsed.value.atMs, 1_700_000_000_000);
    const { persistent, options, ...rest } = { persistent: 0, options: 0, ...parsed.value.command };
    const known: Record<string, unknown> = rest;
    for (const [field, value] of Object.entries(command)) assert.deepEqual(known[field], value, field);
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
  const name = fc.constantFrom(...externalCommandParsers.keys());
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
      if (parsed.ok) assert.ok(externalCommandParsers.has(parsed.value.name));
      else assert.notEqual(parsed.error.why, "");
    }),
    { numRuns: 5_000 },
  );
});

test("[XC8] lines do not depend on how their bytes are split into chunks", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 1 })), fc.array(fc.nat(20)), (texts, cuts) => {
      const lines = texts.map((text) => text.replaceAll("\n", " ").toWellFormed()).filter((text) => text.trim() !== "");
      const bytes = Buffer.from(`${lines.map((line) => `${line}\n`).join("")}unfinished`);
      const splitter = new LineSplitter();
      const seen: string[] = [];
      let at = 0;
      for (const cut of [...cuts, bytes.length]) {
        seen.push(...splitter.take(bytes.subarray(at, at + cut)).map(({ text }) => text));
        at += cut;
      }
      assert.deepEqual(seen, lines);
    }),
  );
});

test("[XC8] a line that is too long is reported by its beginning, and the next one is complete", () => {
  const splitter = new LineSplitter();
  const lines = [
    Buffer.alloc(1_048_576, "x"),
    Buffer.from("more\nfits\n"),
    Buffer.alloc(maxLineBytes, "y"),
    Buffer.from("\n"),
  ];
  const seen = lines.flatMap((chunk) => splitter.take(chunk));
  assert.deepEqual(
    seen.map(({ text, tooLong }) => [text.length, tooLong]),
    [
      [256, true],
      [4, false],
      [maxLineBytes, false],
    ],
  );
});

test("[XC2] invalid UTF-8 is replaced", () => {
  const [line] = new LineSplitter().take(Buffer.from([0x5b, 0x31, 0xff, 0xfe, 10]));
  assert.equal(line?.text, "[1\uFFFD\uFFFD");
});
