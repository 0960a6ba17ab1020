import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { Status } from "@realmwatch/proto/svc/v1/common_pb";
import { SloReportSchema } from "@realmwatch/proto/svc/v1/query_pb";
import { availabilityCsv } from "@realmwatch/shared/view/report/availability-csv";
import { objectKeyToProto } from "@realmwatch/shared/wire/fields/object-ref";
import { budgetText, compareReports, formatPercent, sloTone, statusShares } from "./slo-figures.ts";

test("reports become one CSV line for each object, with quoted names and no formulas", () => {
  const report = create(SloReportSchema, {
    ...{ name: '=shop, "all"', realm: "fra", target: 99.5, achieved: 98.25, errorBudgetLeft: -2.5, burnRate: 1.5 },
    ...{ downtimesExcluded: true, evidence: 95.5 },
    objects: [
      {
        object: objectKeyToProto({ kind: "service", host: "web1", name: "http" }),
        seconds: [{ status: Status.OK, seconds: 50 }, { status: Status.CRITICAL, seconds: 10 }, { seconds: 5 }],
        downtimeSeconds: 7,
        evidence: 93,
      },
    ],
  });
  const [head, line, ...rest] = availabilityCsv([report, create(SloReportSchema, { name: "none", evidence: 0 })]).split(
    "\r\n",
  );
  assert.equal(head?.split(",").length, 18);
  assert.equal(line, `fra,"'=shop, ""all""",99.5,98.25,-2.5,1.5,true,95.5,web1!http,50,0,10,0,0,0,5,7,93`);
  assert.deepEqual(rest, [",none,0,,,,false,0,,,,,,,,,,", ""]);
});

const figures: [achieved: number | undefined, errorBudgetLeft: number | undefined, tone: string][] = [
  [99, -1, "bad"],
  [99.9, 0.1, "fair"],
  [100, 1, "good"],
  [undefined, undefined, "none"],
];
test("[SL13] an objective without evidence is neither met nor missed, and is listed last", () => {
  const reports = figures.map(([achieved, errorBudgetLeft, name]) =>
    create(SloReportSchema, {
      ...{ name, target: 99.5 },
      ...(achieved === undefined ? {} : { achieved }),
      ...(errorBudgetLeft === undefined ? {} : { errorBudgetLeft }),
    }),
  );
  for (const report of reports) assert.equal(sloTone(report), report.name);
  assert.deepEqual(
    reports
      .toReversed()
      .toSorted(compareReports)
      .map(({ name }) => name),
    ["bad", "fair", "good", "none"],
  );
});

const percents: [value: number, shown: string][] = [
  [100, "100 %"],
  [99.99999, "99.999 %"],
  [99.5, "99.5 %"],
  [0, "0 %"],
  [12.3456, "12.34 %"],
];
for (const [value, shown] of percents)
  test(`${value} percent is written as ${shown}, never rounded up`, () => assert.equal(formatPercent(value), shown));

test("the budget is a share that is left, or the excess of an overspent one", () => {
  assert.deepEqual([1, 0.256, 0, -0.5, -3].map(budgetText), [
    "100 % left",
    "25 % left",
    "used up",
    "overspent by 50 %",
    "overspent by 300 %",
  ]);
});

test("shares of the states add up to the time with and without evidence", () => {
  const shares = statusShares([
    { status: Status.OK, seconds: 60 },
    { status: Status.CRITICAL, seconds: 20 },
    { status: Status.UNSPECIFIED, seconds: 20 },
  ]);
  assert.deepEqual(shares, [
    { status: "critical", seconds: 20, share: 0.2 },
    { status: "ok", seconds: 60, share: 0.6 },
    { status: undefined, seconds: 20, share: 0.2 },
  ]);
  assert.deepEqual(statusShares([]), []);
});
