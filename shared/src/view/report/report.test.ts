import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { Status } from "@realmwatch/proto/svc/v1/common_pb";
import { type SloReport, SloReportSchema } from "@realmwatch/proto/svc/v1/query_pb";
import fc from "fast-check";
import { parseReportBy, type Report, type ReportBy, type ReportFigures, workOutReport } from "./report.ts";
import { reportCsv, reportRecord, summaryText, verdictOf } from "./report-figures.ts";
import { reportText } from "./report-text.ts";

const hour = 3_600;

type ObjectInit = {
  host: string;
  label?: string;
  up?: number;
  down?: number;
  none?: number;
  pending?: number;
  downtime?: number;
};

/** Objective with hosts whose times are in hours. */
const slo = (
  fields: Partial<Pick<SloReport, "name" | "realm" | "target" | "downStatuses">>,
  hosts: readonly ObjectInit[],
): SloReport =>
  create(SloReportSchema, {
    ...{ target: 99, downtimesExcluded: true },
    ...fields,
    objects: hosts.map(({ host, label = "", up = 0, down = 0, none = 0, pending = 0, downtime = 0 }) => ({
      object: { ref: { case: "host" as const, value: { name: host } } },
      label,
      seconds: [
        { status: Status.UNSPECIFIED, seconds: none * hour },
        { status: Status.OK, seconds: up * hour },
        { status: Status.CRITICAL, seconds: down * hour },
        { status: Status.PENDING, seconds: pending * hour },
      ],
      downtimeSeconds: downtime * hour,
    })),
  });

const bySlo: ReportBy = { kind: "slo" };
const near = (a: number, b: number): boolean => Math.abs(a - b) < 1e-6;

test("[RP3, RP5, RP6, RP7] the smallest budget is first, its worst objects by down time, and no evidence is last", () => {
  const report = workOutReport(
    [
      slo({ name: "fine", realm: "fra" }, [{ host: "a", up: 100, down: 0.5, downtime: 2 }]),
      slo({ name: "unknown", realm: "ams" }, [{ host: "d", none: 100 }]),
      slo({ name: "bad", realm: "fra" }, [
        { host: "b", up: 98, down: 2 },
        { host: "c", up: 90, down: 10, none: 100 },
        { host: "e", up: 100 },
      ]),
    ],
    bySlo,
  );
  assert.deepEqual(
    report.rows.map((row) => [row.name, verdictOf(row)]),
    [
      ["bad", "missed"],
      ["fine", "met"],
      ["unknown", "none"],
    ],
  );
  const [bad, fine, unknown] = report.rows;
  assert.deepEqual(
    bad?.worst.map(({ key, downHours }) => [key.name, downHours]),
    [
      ["c", 10],
      ["b", 2],
    ],
  );
  assert.deepEqual([bad?.achieved, bad?.evidence, bad?.downHours], [96, 75, 12]);
  assert.ok(near(fine?.errorBudgetLeft ?? 0, 1 - 0.5 / 1.005));
  assert.deepEqual([fine?.downtimeHours, fine?.evidence], [2, 100]);
  assert.deepEqual(
    [unknown?.achieved, unknown?.errorBudgetLeft, unknown?.evidence, unknown?.target],
    [undefined, undefined, 0, 99],
  );
  assert.equal(
    summaryText(report),
    "3 objectives: 1 missed the target, 1 met it, 1 without evidence. 2 have evidence below 95 %.",
  );
});

test("[RP4] a realm's target is the mean of its objectives', weighted by the times that count", () => {
  const report = workOutReport(
    [
      slo({ name: "strict", realm: "fra", target: 100 }, [{ host: "a", up: 100 }]),
      slo({ name: "mild", realm: "fra", target: 90 }, [{ host: "a", up: 280, down: 20 }, { host: "b" }]),
    ],
    { kind: "realm" },
  );
  const [row] = report.rows;
  assert.deepEqual([row?.name, row?.objects, row?.target, row?.achieved], ["fra", 2, 92.5, 95]);
  assert.ok(near(row?.errorBudgetLeft ?? 0, 1 - 20 / 30));
});

test("[RP3, RP6] labels join objectives and realms; an object of two objectives is one of the worst once", () => {
  const down = slo({ name: "one", realm: "fra", downStatuses: [Status.CRITICAL] }, [
    { host: "a", label: "shop", up: 1, down: 3 },
  ]);
  const up = slo({ name: "two", realm: "fra", downStatuses: [Status.WARNING] }, [
    { host: "a", label: "shop", up: 1, down: 3 },
    { host: "b", up: 4 },
  ]);
  const report = workOutReport([down, up], { kind: "label", key: "app" });
  assert.deepEqual(
    report.rows.map(({ name, objects, upHours, downHours }) => [name, objects, upHours, downHours]),
    [
      ["shop", 1, 5, 3],
      ["", 1, 4, 0],
    ],
  );
  assert.deepEqual(
    report.rows[0]?.worst.map((one) => [one.key.name, one.slo]),
    [["a", "one"]],
  );
  assert.match(
    reportText(report, { fromMs: 0, toMs: 1, zone: "UTC", month: undefined }, []),
    /\nwithout app\n {2}achieved 100 %/,
  );
});

const figures = fc.nat({ max: 2_000_000 }).map((ms) => ms / 1_000);
const statuses = [
  Status.UNSPECIFIED,
  Status.OK,
  Status.WARNING,
  Status.CRITICAL,
  Status.UNKNOWN,
  Status.PENDING,
  Status.UNREACHABLE,
];
const slosArbitrary = fc
  .array(
    fc.record({
      realm: fc.constantFrom("fra", "ams"),
      target: fc.constantFrom(90, 99, 99.9, 100),
      downtimesExcluded: fc.boolean(),
      downStatuses: fc.subarray([Status.WARNING, Status.CRITICAL, Status.UNKNOWN, Status.UNREACHABLE], {
        minLength: 1,
      }),
      objects: fc.array(
        fc.record({
          object: fc.constantFrom("a", "b", "c").map((name) => ({ ref: { case: "host" as const, value: { name } } })),
          label: fc.constantFrom("", "shop", "mail"),
          seconds: fc.tuple(...statuses.map((status) => figures.map((seconds) => ({ status, seconds })))),
          downtimeSeconds: figures,
        }),
        { maxLength: 4 },
      ),
    }),
    { maxLength: 5 },
  )
  .map((slos) => slos.map((one, at) => create(SloReportSchema, { ...one, name: `slo ${at}` })));

test("[RP3, RP4, RP5] the rows of a report add up to its total, however it is grouped", () => {
  fc.assert(
    fc.property(slosArbitrary, fc.constantFrom("slo", "realm", "label:app"), (slos, text) => {
      const by = parseReportBy(text);
      assert.ok(by.ok);
      const { rows, total } = workOutReport(slos, by.value);
      let [up, down, downtime, known, all, budget] = [0, 0, 0, 0, 0, 0];
      for (const one of slos)
        for (const { seconds, downtimeSeconds } of one.objects) {
          downtime += downtimeSeconds;
          const excluded = one.downtimesExcluded === true ? downtimeSeconds : 0;
          known += excluded;
          all += excluded;
          for (const { status, seconds: count } of seconds) {
            all += count;
            if (status === Status.UNSPECIFIED || status === Status.PENDING) continue;
            known += count;
            budget += (count * (100 - one.target)) / 100;
            if (one.downStatuses.includes(status)) down += count;
            else up += count;
          }
        }
      const sum = (name: "upHours" | "downHours" | "downtimeHours"): number =>
        rows.reduce((total, row) => total + row[name], 0) * hour;
      for (const [name, expected] of [
        ["upHours", up],
        ["downHours", down],
        ["downtimeHours", downtime],
      ] as const) {
        assert.ok(near(sum(name), expected), name);
        assert.ok(near(total[name] * hour, expected), name);
      }
      assert.equal(total.achieved === undefined, up + down === 0);
      if (total.achieved !== undefined) assert.ok(near(total.achieved, (up / (up + down)) * 100));
      assert.ok(near(total.evidence, all === 0 ? 0 : (known / all) * 100));
      if (budget > 0 && total.errorBudgetLeft !== undefined)
        assert.ok(near((1 - total.errorBudgetLeft) * budget, down) || near(total.errorBudgetLeft, 1 - down / budget));
      const weighted = (of: ReportFigures): number => (of.target ?? 0) * (of.upHours + of.downHours);
      assert.ok(
        near(
          rows.reduce((total, row) => total + weighted(row), 0),
          weighted(total),
        ) || up + down === 0,
      );
    }),
    { numRuns: 200 },
  );
});

const sample = (): Report =>
  workOutReport([slo({ name: "shop, all", realm: "fra" }, [{ host: "=web", up: 2, down: 1 }])], bySlo);

test("[RP9] CSV has the fields of the JSON, in numbers with at most four decimals that never reach a missed target", () => {
  const [heading, line] = reportCsv(sample()).split("\r\n");
  assert.deepEqual(heading?.split(","), Object.keys(reportRecord(sample()).rows[0] ?? {}));
  assert.equal(line, '"shop, all",fra,1,99,66.6666,-32.3333,100,2,1,0,fra =web');
  const nearly = workOutReport([slo({ name: "s", target: 100 }, [{ host: "a", up: 1e6, down: 0.001 }])], bySlo);
  assert.equal(reportCsv(nearly).split("\r\n")[1]?.split(",")[4], "99.9999");
});

test("[RP8, RP10] the text of a mail begins with the summary, marks low evidence, and names realms without an answer", () => {
  const range = { fromMs: Date.parse("2026-09-30T22:00:00Z"), toMs: Date.parse("2026-10-31T23:00:00Z") };
  const text = reportText(
    workOutReport(
      [slo({ name: "shop", realm: "fra" }, [{ host: "web", up: 2, down: 1, none: 1, downtime: 4.5 }])],
      bySlo,
    ),
    { ...range, zone: "Europe/Berlin", month: "2026-10" },
    [{ $typeName: "svc.v1.UnansweredRealm", realm: "ams", code: "unavailable", message: "silent" }],
  );
  assert.equal(
    text,
    `Service levels 2026-10, Europe/Berlin
2026-10-01 00:00 to 2026-11-01 00:00
1 objective: 1 missed the target. 1 has evidence below 95 %.
Realm ams gave no answer, its objectives are missing: unavailable silent

shop (fra)
  achieved 66.6666 %, target 99 %, budget left -3233.3 %, evidence 88.23 % low
  down 1 h, in downtime 4.5 h
  fra web: down 1 h
`,
  );
});

test("[RP3] a report is grouped by slo, realm or label:KEY", () => {
  assert.deepEqual(
    ["slo", "realm", "label:App"].map(parseReportBy).map((by) => by.ok && by.value),
    [{ kind: "slo" }, { kind: "realm" }, { kind: "label", key: "app" }],
  );
  for (const text of ["", "host", "label:", "label"]) assert.equal(parseReportBy(text).ok, false, text);
});
