import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { StateType, Status as WireStatus } from "@realmwatch/proto/svc/v1/common_pb";
import { DowntimeSchema, HistoryRecordSchema, HistoryType } from "@realmwatch/proto/svc/v1/query_pb";
import { isProblem, type Status, severityOf } from "@realmwatch/shared/model/status";
import { statusNames } from "@realmwatch/shared/view/row-status";
import fc from "fast-check";
import { heatBuckets } from "./heat-buckets.ts";
import { historyBeginMs } from "./history-begin.ts";
import { downtimeSpans, gapSpans, type Span, statusSpans } from "./status-spans.ts";

const range = { fromMs: 1_000, toMs: 1_120 };

type State = [atMs: number, status: WireStatus, previous: WireStatus, type?: StateType];
const { OK, WARNING, CRITICAL, PENDING } = WireStatus;
const { SOFT, HARD } = StateType;
const states = (list: readonly State[]) =>
  list.map(([atMs, status, previousStatus, stateType = HARD]) =>
    create(HistoryRecordSchema, {
      at: timestampFromMs(atMs),
      type: HistoryType.STATE,
      status,
      previousStatus,
      stateType,
    }),
  );

const pasts: [name: string, before: State[], within: State[], spans: [toMs: number, status: Status | undefined][]][] = [
  [
    "a soft problem changes nothing",
    [[900, OK, PENDING]],
    [
      [1_010, CRITICAL, OK, SOFT],
      [1_020, OK, CRITICAL, SOFT],
    ],
    [[1_120, "ok"]],
  ],
  [
    "a hard problem lasts until its end",
    [[900, OK, PENDING]],
    [
      [1_010, CRITICAL, OK, SOFT],
      [1_020, CRITICAL, CRITICAL],
      [1_050, OK, CRITICAL],
    ],
    [
      [1_020, "ok"],
      [1_050, "critical"],
      [1_120, "ok"],
    ],
  ],
  [
    "a soft problem before the range keeps the status before it",
    [
      [800, WARNING, OK],
      [900, CRITICAL, WARNING, SOFT],
    ],
    [],
    [[1_120, "warning"]],
  ],
  [
    "before the first check there are no data",
    [],
    [[1_040, OK, PENDING]],
    [
      [1_040, undefined],
      [1_120, "ok"],
    ],
  ],
  [
    "without an older record the previous status counts",
    [],
    [[1_040, OK, WARNING]],
    [
      [1_040, "warning"],
      [1_120, "ok"],
    ],
  ],
  [
    "a hard record after a lost soft one began in OK",
    [],
    [[1_040, CRITICAL, CRITICAL]],
    [
      [1_040, "ok"],
      [1_120, "critical"],
    ],
  ],
  [
    "an object that was added again is new",
    [[900, CRITICAL, OK]],
    [[1_050, OK, PENDING]],
    [
      [1_050, "critical"],
      [1_120, "ok"],
    ],
  ],
];
for (const [name, before, within, expected] of pasts)
  test(`status spans: ${name}`, () => {
    const present = { status: "ok", sinceMs: undefined } as const;
    const spans = statusSpans({ states: states(within), statesBefore: states(before), present }, range);
    assert.deepEqual(
      spans.map(({ toMs, status }) => [toMs, status]),
      expected,
    );
  });

test("status spans: without any record the present status counts from its beginning", () => {
  const past = { states: [], statesBefore: [], present: { status: "critical", sinceMs: 1_100 } } as const;
  assert.deepEqual(statusSpans(past, range), [
    { fromMs: 1_000, toMs: 1_100, status: undefined },
    { fromMs: 1_100, toMs: 1_120, status: "critical" },
  ]);
  assert.deepEqual(
    statusSpans({ ...past, present: { status: "pending", sinceMs: undefined } }, range).map(({ status }) => status),
    [undefined],
  );
});

const { DOWNTIME_START, DOWNTIME_END, DOWNTIME_CANCELLED, GAP } = HistoryType;
const edges = (list: readonly [atMs: number, type: HistoryType, inEffect?: boolean][]) =>
  list.map(([atMs, type, inEffect = true]) =>
    create(HistoryRecordSchema, { at: timestampFromMs(atMs), type, downtime: create(DowntimeSchema, { inEffect }) }),
  );
const downtimeTables: [
  name: string,
  list: Parameters<typeof edges>[0],
  inEffect: boolean,
  spans: [number, number][],
][] = [
  [
    "from start to end",
    [
      [1_010, DOWNTIME_START],
      [1_020, DOWNTIME_END],
    ],
    false,
    [[1_010, 1_020]],
  ],
  [
    "begun before the range",
    [
      [900, DOWNTIME_START],
      [1_020, DOWNTIME_END],
    ],
    false,
    [[1_000, 1_020]],
  ],
  ["an end without a start was in effect all the time", [[1_020, DOWNTIME_END]], false, [[1_000, 1_020]]],
  ["still in effect", [[1_010, DOWNTIME_START]], true, [[1_010, 1_120]]],
  ["in effect without a record", [], true, [[1_000, 1_120]]],
  [
    "cancelled",
    [
      [1_010, DOWNTIME_START],
      [1_020, DOWNTIME_CANCELLED],
    ],
    false,
    [[1_010, 1_020]],
  ],
  [
    "cancelled while another one lasts",
    [
      [1_010, DOWNTIME_START],
      [1_020, DOWNTIME_CANCELLED],
      [1_030, DOWNTIME_END],
    ],
    false,
    [[1_010, 1_030]],
  ],
  [
    "one that was not in effect is cancelled",
    [
      [1_010, DOWNTIME_START],
      [1_020, DOWNTIME_CANCELLED, false],
      [1_030, DOWNTIME_END],
    ],
    false,
    [[1_010, 1_030]],
  ],
];
for (const [name, list, inEffect, spans] of downtimeTables)
  test(`downtimes: ${name}`, () =>
    assert.deepEqual(
      downtimeSpans(edges(list), inEffect, range),
      spans.map(([fromMs, toMs]) => ({ fromMs, toMs })),
    ));

test("a time without an agent is a gap from its last sign of life, a lost record an instant", () => {
  const gap = (atMs: number, stoppedAtMs?: number) =>
    create(HistoryRecordSchema, {
      at: timestampFromMs(atMs),
      type: GAP,
      ...(stoppedAtMs === undefined ? {} : { stoppedAt: timestampFromMs(stoppedAtMs) }),
    });
  assert.deepEqual(gapSpans([gap(1_010, 900), gap(1_050)], range), [
    { fromMs: 1_000, toMs: 1_010 },
    { fromMs: 1_049, toMs: 1_050 },
  ]);
});

const spanArbitrary = fc
  .tuple(fc.integer({ min: range.fromMs, max: range.toMs - 1 }), fc.integer({ min: 1, max: 60 }))
  .map(([fromMs, ms]): Span => ({ fromMs, toMs: Math.min(range.toMs, fromMs + ms) }));
const statusesArbitrary = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 40 }), fc.option(fc.constantFrom(...statusNames), { nil: undefined })), {
    minLength: 1,
  })
  .map((parts) => {
    const spans: (Span & { status: Status | undefined })[] = [];
    let atMs = range.fromMs;
    for (const [ms, status] of parts) {
      if (atMs < range.toMs) spans.push({ fromMs: atMs, toMs: Math.min(range.toMs, atMs + ms), status });
      atMs += ms;
    }
    if (atMs < range.toMs) spans.push({ fromMs: atMs, toMs: range.toMs, status: "ok" });
    return spans;
  });

for (const beginMs of [0, 1_000, 1_037, 1_119, 2_000])
  test(`[SL14] the beginning of the history at ${beginMs} is found within the range`, async () => {
    const found = await historyBeginMs(async (atMs) => beginMs < atMs, range);
    assert.equal(found, Math.min(range.toMs, Math.max(range.fromMs, beginMs < range.fromMs ? 0 : beginMs + 1)));
  });

test("buckets are what a count of every millisecond gives", () => {
  const given = fc.tuple(
    statusesArbitrary,
    fc.array(spanArbitrary, { maxLength: 3 }),
    fc.array(spanArbitrary, { maxLength: 3 }),
  );
  fc.assert(
    fc.property(given, fc.constantFrom(1, 2, 3, 8, 12, 40), ([statuses, downtimes, gaps], count) => {
      const { buckets, okShare, evidence } = heatBuckets({ statuses, downtimes, gaps }, range, count);
      const isIn = (spans: readonly Span[], at: number): boolean =>
        spans.some(({ fromMs, toMs }) => at >= fromMs && at < toMs);
      const each = Array.from({ length: range.toMs - range.fromMs }, (_, ms) => {
        const at = range.fromMs + ms;
        const status = isIn(gaps, at)
          ? undefined
          : statuses.find(({ fromMs, toMs }) => at >= fromMs && at < toMs)?.status;
        return { status, downtime: isIn(downtimes, at) };
      });
      const size = each.length / count;
      for (const [at, bucket] of buckets.entries()) {
        const own = each.slice(at * size, (at + 1) * size);
        const known = own.flatMap(({ status }) => (status === undefined ? [] : [status]));
        const worst = known.toSorted((a, b) => severityOf[b] - severityOf[a])[0];
        assert.equal(bucket.worst, worst);
        assert.equal(bucket.noDataMs, own.length - known.length);
        assert.equal(bucket.downtimeMs, own.filter(({ downtime }) => downtime).length);
        assert.equal(bucket.problemMs, known.filter(isProblem).length);
      }
      const counted = each.flatMap(({ status, downtime }) => (downtime || status === undefined ? [] : [status]));
      const ok = counted.filter((status) => status === "ok").length;
      const bad = counted.filter(isProblem).length;
      assert.equal(okShare, ok + bad === 0 ? undefined : ok / (ok + bad));
      const known = each.filter(({ status }) => status !== undefined && status !== "pending").length;
      assert.equal(evidence, known / each.length);
    }),
  );
});
