import assert from "node:assert/strict";
import { test } from "node:test";
import { NotificationPairs } from "./notification-pairs.ts";
import type { ObservedObject } from "./observed-object.ts";
import {
  observedObject as observed,
  shadowedObject as shadowed,
  softObject as soft,
} from "./shadow-objects.fixture.ts";
import { resultsFor, type ShadowedObject } from "./shadow-results.ts";
import { StateDifferences } from "./state-differences.ts";
import { observeStatusFile } from "./status-file.ts";

const feeds: [name: string, other: ObservedObject, agent: ShadowedObject, results: string][] = [
  ["[SH1] a newer result", observed(), shadowed(), "critical@100000"],
  ["[SH1] a newer OK result", observed({ status: "ok" }), soft(2), "ok@100000"],
  ["[SH1] a host that is unreachable there", observed({ status: "unreachable" }), shadowed(), "critical@100000"],
  ["[SH2] a result that the agent has", observed(), shadowed({ checkedAtMs: 100_000 }), ""],
  ["[SH2] a result older than the agent's", observed(), shadowed({ checkedAtMs: 100_500 }), ""],
  [
    "[SH3] a hard problem before the first result of the agent",
    observed({ isHard: true, attempt: 3 }),
    shadowed({ status: "pending", checkedAtMs: undefined }),
    "critical@99998 critical@99999 critical@100000",
  ],
  ["[SH3] an attempt between two readings", observed({ attempt: 4 }), soft(2), "critical@99999 critical@100000"],
  ["[SH3] the next attempt", observed({ attempt: 3 }), soft(2), "critical@100000"],
  [
    "[SH3] a hard problem goes on",
    observed({ isHard: true, attempt: 3 }),
    soft(3, { isHard: true }),
    "critical@100000",
  ],
  [
    "[SH3] the agent has fewer attempts than the other system",
    observed({ attempt: 4 }),
    shadowed({ status: "critical", attempt: 2 }),
    "critical@100000",
  ],
  [
    "[SH4] a recovery between two readings",
    observed({ attempt: 2, lastOkAtMs: 80_000 }),
    soft(3, { isHard: true }),
    "ok@80000 critical@99999 critical@100000",
  ],
  [
    "[SH4] a recovery that the agent has seen",
    observed({ attempt: 2, lastOkAtMs: 30_000 }),
    soft(1),
    "critical@100000",
  ],
];
for (const [name, other, agent, results] of feeds)
  test(name, () =>
    assert.equal(
      resultsFor(other, agent)
        .map(({ status, executedAtMs }) => `${status}@${executedAtMs}`)
        .join(" "),
      results,
    ),
  );

const compare = (differences: StateDifferences, other: ObservedObject[], agent: ShadowedObject[], nowMs: number) =>
  differences.compare(
    { dialect: "nagios", objects: other, known: new Set(other.map(({ ref }) => ref)) },
    { objects: new Map(agent.map((object) => [object.ref, object])), parents: new Map() },
    nowMs,
  );
const listed = (differences: StateDifferences) =>
  differences
    .list()
    .map(({ object, kind, other, agent, since, until = "" }) =>
      [object, kind, other || "-", agent || "-", since.slice(14, 19), until.slice(14, 19)].join(" ").trim(),
    );

test("[SH5] states are compared after the same result, soft and hard apart, attempts of soft problems included", () => {
  const differences = new StateDifferences();
  const same = { checkedAtMs: 100_000 };
  compare(differences, [observed({ attempt: 2 })], [soft(1)], 0);
  assert.deepEqual([differences.compared, listed(differences)], [0, []]);
  compare(differences, [observed({ attempt: 2 })], [soft(2, same)], 0);
  assert.deepEqual([differences.compared, listed(differences)], [1, []]);
  compare(differences, [observed({ attempt: 2 })], [soft(2, { ...same, isHard: true })], 1_000);
  assert.deepEqual(listed(differences), ["web1!http state critical soft 2 critical hard 00:01"]);
  compare(differences, [observed({ isHard: true, attempt: 5 })], [soft(3, { ...same, isHard: true })], 2_000);
  assert.deepEqual(listed(differences), ["web1!http state critical soft 2 critical hard 00:01 00:02"]);
});

test("[SH6] a difference is one entry from its beginning to its end, and another one when it changes", () => {
  const differences = new StateDifferences();
  const agent = (status: "ok" | "warning") => [shadowed({ status, checkedAtMs: 100_000 })];
  const other = [observed({ isHard: true })];
  compare(differences, other, agent("ok"), 1_000);
  compare(differences, other, agent("ok"), 2_000);
  compare(differences, other, agent("warning"), 3_000);
  assert.deepEqual(listed(differences), [
    "web1!http state critical hard ok 00:01 00:03",
    "web1!http state critical hard warning hard 00:03",
  ]);
});

test("[SH7] an object that only one system has is a difference until both have it", () => {
  const differences = new StateDifferences();
  compare(differences, [observed({ ref: "a" })], [shadowed({ ref: "b" })], 1_000);
  assert.deepEqual(listed(differences), ["a object exists - 00:01", "b object - exists 00:01"]);
  compare(differences, [observed({ ref: "a" })], [shadowed({ ref: "a" })], 2_000);
  assert.equal(listed(differences)[0], "a object exists - 00:01 00:02");
});

const unpaired = (pairs: NotificationPairs) =>
  pairs
    .list()
    .map(({ object, other, agent, circumstances }) => [object, other || "-", agent || "-", ...circumstances].join(" "));
const reading = (...objects: ObservedObject[]) => ({ dialect: "nagios" as const, objects, known: new Set<string>() });
const notified = (ref: string, notifiedAtMs?: number, circumstances: string[] = []) =>
  observed({ ref, isHard: true, notifiedAtMs, circumstances });
const agentOf = (...objects: ShadowedObject[]) => new Map(objects.map((object) => [object.ref, object]));

test("[SH8] notifications of both systems within five minutes are the same, each with one counterpart", () => {
  const pairs = new NotificationPairs();
  pairs.observe(reading(), agentOf());
  pairs.observe(reading(notified("a", 1_000_000), notified("b", 1_000_000)), agentOf());
  pairs.decided([
    { ref: "a", atMs: 1_300_000, isStatusChange: true },
    { ref: "b", atMs: 1_300_001, isStatusChange: false },
    { ref: "a", atMs: 1_300_000, isStatusChange: true },
  ]);
  assert.deepEqual(unpaired(pairs), ["b notified -", "b - notified", "a - notified"]);
  assert.deepEqual(pairs.counts, { other: 2, agent: 3, paired: 1, omitted: 0 });
  // The notification is in the status file until the next one.
  pairs.observe(reading(notified("a", 1_000_000), notified("b", 1_000_000)), agentOf());
  assert.equal(pairs.counts.other, 2);
  pairs.observe(reading(notified("a", 1_310_000)), agentOf());
  assert.deepEqual(unpaired(pairs), ["b notified -", "b - notified"]);
});

test("[SH9] a problem of which the other system had notified before the beginning is not a difference", () => {
  const pairs = new NotificationPairs();
  const hard = shadowed({ ref: "old", status: "critical", isHard: true });
  pairs.observe(reading(notified("a", 1_000), notified("b", 1_000), notified("old", 1_000)), agentOf(hard));
  pairs.observe(reading(observed({ ref: "b", status: "ok" })), agentOf());
  pairs.decided(["a", "b", "old"].map((ref) => ({ ref, atMs: 5_000_000, isStatusChange: false })));
  assert.deepEqual(unpaired(pairs), ["b - notified", "old - notified"]);
});

test("[SH10] a difference names acknowledgement, downtime, flapping and notifications off at the other system", () => {
  const pairs = new NotificationPairs();
  pairs.observe(reading(notified("a", undefined, ["acknowledged"])), agentOf());
  pairs.decided([{ ref: "a", atMs: 1_000, isStatusChange: false }]);
  assert.deepEqual(unpaired(pairs), ["a - notified acknowledged"]);
});

const statusText = `########
info {
\tcreated=1700000000
\t}
hoststatus {
\thost_name=web1
\thas_been_checked=1
\tcurrent_state=2
\tstate_type=1
\tcurrent_attempt=3
\tlast_check=1700000000
\tlast_time_up=1699990000
\tcheck_execution_time=0.250
\tplugin_output=no answer = none
\tlong_plugin_output=one\\ntwo
\tperformance_data=rta=1ms;;;
\tcurrent_notification_number=1
\tlast_notification=1699999990
\tproblem_has_been_acknowledged=1
\tscheduled_downtime_depth=1
\tis_flapping=1
\tnotifications_enabled=0
\t}
servicestatus {
\thost_name=web1
\tservice_description=job
\thas_been_checked=0
\tcurrent_state=0
\t}
`;

test("[SH1] [SH10] objects of a status file", () => {
  const observation = observeStatusFile("s.dat", statusText);
  assert.ok(observation.ok);
  assert.deepEqual([...observation.value.known], ["web1", "web1!job"]);
  assert.deepEqual(observation.value.objects, [
    {
      ...{ ref: "web1", status: "unreachable", isHard: true, attempt: 3, checkedAtMs: 1_700_000_000_000 },
      ...{ executionMs: 250, output: "no answer = none", longOutput: "one\ntwo", perfdata: "rta=1ms;;;" },
      ...{ lastOkAtMs: 1_699_990_000_000, notifiedAtMs: 1_699_999_990_000 },
      ...{ isPassive: false, wasHardProblem: false, notificationNumber: 1 },
      circumstances: ["acknowledged", "in downtime", "flapping", "notifications off"],
    },
  ]);
});

test("[SH11] a file that is not a status file is refused with its place", () => {
  const rows: [text: string, message: RegExp][] = [
    ["", /^s\.dat: has no hoststatus block/],
    ["hoststatus {\n", /^s\.dat:1: the block has no closing brace$/],
    ["hoststatus {\nx\n}\n", /^s\.dat:2: expected name=value/],
    ["define host {\nx=1\n}\n", /^s\.dat:1: expected a block/],
  ];
  for (const [text, message] of rows) {
    const refused = observeStatusFile("s.dat", text);
    assert.ok(!refused.ok);
    assert.match(refused.error, message);
  }
});

test("[SH16] repetitions without a counterpart are counted apart, where they do not follow a timer", () => {
  for (const [dialect, repetitions] of [
    ["nagios", 2],
    ["icinga2", 0],
  ] as const) {
    const pairs = new NotificationPairs();
    const read = (...objects: ObservedObject[]) => pairs.observe({ ...reading(...objects), dialect }, agentOf());
    read();
    const first = { ...notified("a", 1_000_000), notificationNumber: 1 };
    read(first);
    const atMs = [1_000_000, 3_000_000];
    pairs.decided(atMs.map((at) => ({ ref: "a", atMs: at, isStatusChange: false })));
    read({ ...first, notificationNumber: 2, notifiedAtMs: 4_000_000 });
    assert.deepEqual([unpaired(pairs).length, pairs.designCounts.repetition ?? 0], [2 - repetitions, repetitions]);
    // After a recovery the first one is not a repetition.
    read({ ...first, notificationNumber: 0, notifiedAtMs: undefined, lastOkAtMs: 5_000_000 });
    pairs.decided([{ ref: "a", atMs: 9_000_000, isStatusChange: false }]);
    assert.equal(pairs.designCounts.repetition ?? 0, repetitions);
  }
});

test("[SH16] a notification of a host that is unreachable there, and of a state by design here, is counted apart", () => {
  const pairs = new NotificationPairs();
  pairs.observe(reading(), agentOf());
  const decide = (ref: string, atMs: number, reason?: "soft_again") =>
    pairs.decided([{ ref, atMs, isStatusChange: true }], () => reason);
  pairs.observe(reading({ ...notified("h", 1_000_000), status: "unreachable" }), agentOf());
  decide("h", 1_001_000);
  assert.deepEqual([unpaired(pairs), pairs.designCounts], [["h - notified"], { unreachable_host: 1 }]);
  // The other system notifies when its attempts are over; the agent's next notification is the counterpart.
  decide("s", 1_000_000, "soft_again");
  pairs.observe(reading(notified("s", 1_060_000)), agentOf());
  assert.deepEqual(pairs.designCounts, { unreachable_host: 1 });
  decide("s", 1_061_000);
  assert.deepEqual([unpaired(pairs), pairs.designCounts], [["h - notified"], { unreachable_host: 1, soft_again: 1 }]);
  assert.deepEqual(pairs.counts, { other: 2, agent: 3, paired: 1, omitted: 0 });
});

test("[SH16] Nagios' notification of another status of a problem does not count as a repetition", () => {
  const pairs = new NotificationPairs();
  pairs.observe(reading(), agentOf());
  const read = (number: number, status: "critical" | "warning", at: number) =>
    pairs.observe(reading({ ...notified("a", at), notificationNumber: number, status }), agentOf());
  read(1, "critical", 1_000_000);
  read(2, "warning", 2_000_000);
  read(3, "warning", 3_000_000);
  assert.deepEqual([unpaired(pairs).length, pairs.designCounts], [2, { repetition: 1 }]);
});
