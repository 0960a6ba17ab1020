import assert from "node:assert/strict";
import { test } from "node:test";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { StateType } from "@realmwatch/proto/svc/v1/common_pb";
import {
  ContactSchema,
  type HistoryRecord,
  HistoryRecordSchema,
  HistoryType,
  RealmFreshness,
  RealmSchema,
  StatusRowSchema,
} from "@realmwatch/proto/svc/v1/query_pb";
import fc from "fast-check";
import { keyOf } from "../../model/object-key.ts";
import { isProblem, type Status, severityOf } from "../../model/status.ts";
import { statusCodec } from "../../wire/fields/enums.ts";
import { objectKeyToProto } from "../../wire/fields/object-ref.ts";
import { type HandoverInput, workOutHandover } from "./handover.ts";
import { handoverText, objectsText } from "./handover-sections.ts";
import { lastProblem, type ShiftProblem } from "./shift-problem.ts";

const hourMs = 3_600_000;
/** The shift of all tests: from 06:00 to 14:00 of the first day of 1970, UTC. */
const shift = { sinceMs: 6 * hourMs, untilMs: 14 * hourMs, realm: "" };
const at = (hour: number) => timestampFromMs(hour * hourMs);
const object = (ref: string) => objectKeyToProto(keyOf(ref));
const clock = (ms: number): string => new Date(ms).toISOString().slice(11, 16);

let records = 0;
function record(hour: number, ref: string, fields: MessageInitShape<typeof HistoryRecordSchema>): HistoryRecord {
  const about = ref === "" ? {} : { object: object(ref) };
  return create(HistoryRecordSchema, { id: `${++records}`, at: at(hour), realm: "fra", ...about, ...fields });
}

type Change = { readonly to: Status; readonly from: Status; readonly soft?: true };
const state = (hour: number, ref: string, { to, from, soft }: Change): HistoryRecord =>
  record(hour, ref, {
    type: HistoryType.STATE,
    status: statusCodec.toProto(to),
    previousStatus: statusCodec.toProto(from),
    stateType: soft === true ? StateType.SOFT : StateType.HARD,
    output: `${to}!`,
  });
const row = (ref: string, status: Status, fields: MessageInitShape<typeof StatusRowSchema> = {}) =>
  create(StatusRowSchema, {
    ...{ realm: "fra", object: object(ref), status: statusCodec.toProto(status), stateType: StateType.HARD },
    ...fields,
  });
const handoverOf = (input: Partial<HandoverInput>) =>
  workOutHandover({ shift, records: [], rows: [], contacts: [], realms: [], ...input });

/** `web1 critical 07:00-08:00`, with a question mark for an unknown time. */
const brief = ({ key, status, beganMs, endedMs, times, isBehind, acknowledgedBy }: ShiftProblem): string =>
  [
    `${objectsText([{ realm: "", key }])} ${status}`,
    `${beganMs === undefined ? "?" : clock(beganMs)}-${endedMs === undefined ? "" : clock(endedMs)}`,
    times === 1 ? "" : `x${times}`,
    isBehind ? "behind" : "",
    acknowledgedBy,
  ]
    .filter((part) => part !== "")
    .join(" ");

type Lists = Partial<Record<"began" | "open" | "ended", readonly string[]>>;
const down: Change = { from: "ok", to: "critical" };
const up: Change = { from: "critical", to: "ok" };
const rows: readonly (readonly [rule: string, input: Partial<HandoverInput>, lists: Lists])[] = [
  [
    "[HO1] a problem begins with its hard state",
    {
      records: [
        state(7, "a", { from: "ok", to: "warning", soft: true }),
        state(8, "a", { from: "warning", to: "warning" }),
      ],
    },
    { began: ["a warning 08:00-"] },
  ],
  [
    "[HO1] a problem that stays soft is not listed",
    {
      records: [state(7, "a", { ...down, soft: true }), state(8, "a", { ...up, soft: true })],
    },
    {},
  ],
  [
    "[HO1] a change of a hard problem is part of it",
    {
      records: [
        state(7, "a", { from: "ok", to: "warning" }),
        state(8, "a", { from: "warning", to: "critical" }),
        state(9, "a", up),
      ],
    },
    { ended: ["a critical 07:00-09:00"] },
  ],
  [
    "[HO1] a problem that only changed is older than the shift",
    {
      records: [state(8, "a", { from: "warning", to: "critical" })],
    },
    { open: ["a critical ?-"] },
  ],
  [
    "[HO1] a recovery without its beginning is of an older problem",
    {
      records: [state(8, "a", up)],
    },
    { ended: ["a critical ?-08:00"] },
  ],
  [
    "[HO1] several problems of an object are one entry, with the last one",
    {
      records: [state(7, "a", down), state(8, "a", up), state(9, "a", down)],
    },
    { began: ["a critical 09:00- x2"] },
  ],
  [
    "[HO1] records may come in any order",
    {
      records: [state(7, "a", down), state(8, "a", up)].reverse(),
    },
    { ended: ["a critical 07:00-08:00"] },
  ],
  [
    "[HO1] a problem without a record in the shift is known by its row",
    {
      rows: [
        row("a", "critical", { lastHardChange: at(2) }),
        row("b", "critical", { stateType: StateType.SOFT }),
        row("c", "ok"),
      ],
    },
    { open: ["a critical 02:00-"] },
  ],
  [
    "[HO2] a service on a host that is down is behind it, another is not",
    {
      records: [state(7, "h", down), state(8, "h!s", down), state(8, "i!s", down), state(6.5, "h!t", down)],
    },
    {
      began: ["h!t critical 06:30-", "h critical 07:00-", "h!s critical 08:00- behind", "i!s critical 08:00-"],
    },
  ],
  [
    "[HO2] an unreachable object, and a suppressed one, are behind another",
    {
      records: [state(7, "a", { from: "ok", to: "unreachable" }), state(8, "b", down)],
      rows: [row("b", "critical", { suppressedBy: ["a"] })],
    },
    { began: ["a unreachable 07:00- behind", "b critical 08:00- behind"] },
  ],
  [
    "[HO3] who acknowledged: the person, not the service identity",
    {
      records: [
        state(7, "a", down),
        record(7.5, "a", { type: HistoryType.ACKNOWLEDGED, author: "centre", onBehalfOf: "ann" }),
        state(8, "a", up),
        state(9, "b", down),
      ],
      rows: [row("b", "critical", { acknowledgement: { author: "ben" } })],
    },
    { began: ["b critical 09:00- ben"], ended: ["a critical 07:00-08:00 ann"] },
  ],
];
for (const [rule, input, { began = [], open = [], ended = [] }] of rows)
  test(rule, () => {
    const handover = handoverOf(input);
    const lists = [handover.began, handover.open, handover.ended].map((list) => list.map(brief));
    assert.deepEqual(lists, [began, open, ended]);
  });

test("[HO3] acknowledgements of one person with one comment are one entry; those without effect are not listed", () => {
  const acknowledged = (hour: number, ref: string, author: string, comment: string) =>
    record(hour, ref, { type: HistoryType.ACKNOWLEDGED, author, comment });
  const { acknowledged: list } = handoverOf({
    records: [
      acknowledged(7, "a", "ann", "on it"),
      acknowledged(7.1, "b", "ann", "on it"),
      acknowledged(8, "c", "ben", "on it"),
      record(9, "d", { type: HistoryType.ACKNOWLEDGED, author: "ben", because: { reason: "no_problem" } }),
    ],
  });
  assert.deepEqual(
    list.map(({ atMs, by, objects }) => `${clock(atMs)} ${by} ${objectsText(objects)}`),
    ["07:00 ann fra a, fra b", "08:00 ben fra c"],
  );
});

test("[HO4] downtimes that begin or end in the next shift are listed once", () => {
  const downtime = (start: number, end: number) => ({
    start: at(start),
    end: at(end),
    author: "ann",
    comment: "disks",
  });
  const { downtimes, nextUntilMs } = handoverOf({
    rows: [
      row("a", "ok", { downtimes: [downtime(16, 18), downtime(10, 13), downtime(23, 25)] }),
      row("b", "ok", { downtimes: [downtime(16, 18), downtime(10, 15), downtime(10, 30)] }),
    ],
  });
  assert.equal(clock(nextUntilMs), "22:00");
  assert.deepEqual(
    downtimes.map(({ startMs, endMs, objects }) => `${clock(startMs)}-${clock(endMs)} ${objectsText(objects)}`),
    ["10:00-15:00 fra b", "16:00-18:00 fra a, fra b"],
  );
  assert.equal(handoverOf({ shift: { ...shift, sinceMs: 13 * hourMs } }).nextUntilMs, 22 * hourMs);
});

test("[HO5, HO6] contacts that failed, realms that are not current or had gaps, and notes", () => {
  const { contacts, realms, notes } = handoverOf({
    records: [
      record(9, "a", { type: HistoryType.NOTIFICATION_FAILED, contact: "dba", output: "refused" }),
      record(7, "a", { type: HistoryType.NOTIFICATION_FAILED, contact: "dba", output: "timeout" }),
      record(8, "", { type: HistoryType.GAP, stoppedAt: at(7) }),
      record(13, "", { type: HistoryType.NOTE, comment: "call back", commentId: "n", author: "ann" }),
    ],
    contacts: [
      create(ContactSchema, { realm: "fra", name: "ops", failingSince: at(12), lastError: "401" }),
      create(ContactSchema, { realm: "fra", name: "well" }),
    ],
    realms: [
      create(RealmSchema, { name: "ams", freshness: RealmFreshness.BEHIND, behindSince: at(11), detail: "full" }),
      create(RealmSchema, { name: "fra", freshness: RealmFreshness.CURRENT }),
    ],
  });
  assert.deepEqual(
    contacts.map(({ name, givenUp, failingSinceMs, error }) => [name, givenUp, failingSinceMs, error]),
    [
      ["dba", 2, undefined, "refused"],
      ["ops", 0, 12 * hourMs, "401"],
    ],
  );
  assert.deepEqual(
    realms.map(({ name, what, fromMs, toMs }) => [name, what, fromMs, toMs]),
    [
      ["fra", "not running", 7 * hourMs, 8 * hourMs],
      ["ams", "behind", 11 * hourMs, undefined],
    ],
  );
  assert.deepEqual(notes, [{ id: "n", atMs: 13 * hourMs, realm: "fra", by: "ann", text: "call back" }]);
});

test("[HO2] the text has a line an entry and counts what is behind others", () => {
  const text = handoverText(
    handoverOf({
      records: [
        state(7, "h", down),
        state(8, "h!s", down),
        record(9, "", { type: HistoryType.NOTE, comment: "line 1\nline 2", author: "ann" }),
      ],
    }),
    clock,
  );
  assert.match(text, /^Handover 06:00 to 14:00\n\nNotes\n {2}09:00 {2}fra, ann {2}line 1 \/ line 2\n\n/);
  assert.match(text, /still open\n {2}07:00 {2}CRITICAL {2}fra h {2}critical!\n {2}1 object behind them\.\n\n/);
  assert.match(text, /Realms\n {2}All realms are current\.$/);
});

type Step = { readonly status: Status; readonly soft: boolean };
const problem = fc.constantFrom<Status>("warning", "critical", "unknown", "unreachable");
/** Wishes of states, one a tick; a soft one is possible only after OK or another soft one. */
const wishes = fc.array(
  fc.oneof(fc.record({ status: problem, soft: fc.boolean() }), fc.constant<Step>({ status: "ok", soft: false })),
  { minLength: 1, maxLength: 30 },
);

/** States of an object as the engine has them: no hard problem turns soft, and a soft one turns hard as it is. */
function possibleStates(wished: readonly Step[]): readonly Step[] {
  let last: Step = { status: "ok", soft: false };
  return wished.map((wish) => {
    if (wish.status !== "ok" && isProblem(last.status))
      last = last.soft ? (wish.soft ? wish : { ...last, soft: false }) : { ...wish, soft: false };
    else last = wish;
    return last;
  });
}

test("[HO1] the last problem is the one that counting each moment finds", () => {
  fc.assert(
    fc.property(wishes, fc.nat(30), (wished, cut) => {
      const states = possibleStates(wished);
      const before = (tick: number): Step => states[tick - 1] ?? { status: "ok", soft: false };
      const changes = states.flatMap((now, tick) => {
        const then = before(tick);
        if (tick < cut || (then.status === now.status && then.soft === now.soft)) return [];
        // The recovery from a soft problem is recorded as soft.
        const soft = now.soft || (now.status === "ok" && then.soft);
        return [state(tick, "a", { from: then.status, to: now.status, ...(soft ? { soft } : {}) })];
      });
      const isHard = ({ status, soft }: Step): boolean => isProblem(status) && !soft;
      const ticks = states.map((_, tick) => tick).filter((tick) => isHard(states[tick] as Step));
      const begins = ticks.filter((tick) => !isHard(before(tick)));
      const spells = begins.map((from) => {
        const to = states.findIndex((now, tick) => tick > from && !isHard(now));
        return { from, to: to < 0 ? undefined : to };
      });
      const inShift = changes.length === 0 ? [] : spells.filter(({ to }) => to === undefined || to >= cut);
      const last = inShift.at(-1);
      const found = lastProblem(changes);
      assert.equal(found?.times ?? 0, inShift.length);
      if (last === undefined || found === undefined) return;
      assert.equal(found.endedMs, last.to && last.to * hourMs);
      assert.equal(found.beganMs, last.from < cut ? undefined : last.from * hourMs);
      if (last.from < cut) return;
      const during = states.slice(last.from, last.to).map(({ status }) => status);
      assert.equal(severityOf[found.status], Math.max(...during.map((status) => severityOf[status])));
    }),
  );
});
