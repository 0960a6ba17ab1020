import assert from "node:assert/strict";
import { test } from "node:test";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { Status } from "@realmwatch/proto/svc/v1/common_pb";
import { SloReportSchema } from "@realmwatch/proto/svc/v1/query_pb";
import { completeSloReport } from "./complete-slo-report.ts";

const { OK, CRITICAL, PENDING, UNSPECIFIED } = Status;
type Report = MessageInitShape<typeof SloReportSchema>;
const nothing = [
  { status: UNSPECIFIED, seconds: 90 },
  { status: PENDING, seconds: 10 },
];
const half = [
  { status: CRITICAL, seconds: 40 },
  { status: UNSPECIFIED, seconds: 50 },
];
const cases: [name: string, sent: Report, expected: Report][] = [
  [
    "100 % of no time becomes no figure",
    { achieved: 100, errorBudgetLeft: 1, objects: [{ seconds: nothing }] },
    { evidence: 0, objects: [{ seconds: nothing, evidence: 0 }] },
  ],
  [
    "figures of 0, which its message leaves out, are 0",
    { errorBudgetLeft: -99, burnRate: 100, downtimesExcluded: true, objects: [{ seconds: half, downtimeSeconds: 10 }] },
    {
      ...{ achieved: 0, errorBudgetLeft: -99, burnRate: 100, downtimesExcluded: true, evidence: 50 },
      objects: [{ seconds: half, downtimeSeconds: 10, evidence: 50 }],
    },
  ],
  [
    "a report with evidence stays as it is",
    { achieved: 100, evidence: 42, objects: [{ seconds: [{ status: OK, seconds: 1 }] }] },
    { achieved: 100, evidence: 42, objects: [{ seconds: [{ status: OK, seconds: 1 }] }] },
  ],
];
for (const [name, sent, expected] of cases)
  test(`[SL13] the report of an older agent gets its evidence: ${name}`, () =>
    assert.deepEqual(completeSloReport(create(SloReportSchema, sent)), create(SloReportSchema, expected)));
