import type { SloReport } from "@realmwatch/proto/svc/v1/query_pb";
import { refOf } from "../../model/object-key.ts";
import { statuses } from "../../model/status.ts";
import { statusCodec } from "../../wire/fields/enums.ts";
import { objectKeyFromProto } from "../../wire/fields/object-ref.ts";
import { formatCsvLines } from "../csv.ts";

/** Columns of times in a status, s; without a status: without evidence. */
const timeColumns: readonly (readonly [name: string, status: number])[] = [
  ...statuses.map((status) => [`${status}Seconds`, statusCodec.toProto(status)] as const),
  ["noEvidenceSeconds", 0],
];

/** Names of the JSON of `QueryAvailability`; the evidence of an object has its own. */
const columns = [
  ...["realm", "name", "target", "achieved", "errorBudgetLeft", "burnRate", "downtimesExcluded", "evidence"],
  ...["object", ...timeColumns.map(([name]) => name), "downtimeSeconds", "objectEvidence"],
];

/** Cells of the object and its times, in the line of an objective without objects. */
const noObject: undefined[] = Array.from({ length: 3 + timeColumns.length });

/**
 * Reports as CSV, one line for each object; an objective without objects has one line without an object. A figure
 * without evidence is empty.
 */
export function availabilityCsv(reports: readonly SloReport[]): string {
  const lines = reports.flatMap((report) => {
    const { realm, name, target, achieved, errorBudgetLeft, burnRate, downtimesExcluded = false, objects } = report;
    const own = [realm, name, target, achieved, errorBudgetLeft, burnRate, downtimesExcluded, report.evidence];
    if (objects.length === 0) return [[...own, ...noObject]];
    return objects.map(({ object, seconds, downtimeSeconds, evidence }) => {
      const key = objectKeyFromProto("object", object);
      const times = timeColumns.map(([, status]) => seconds.find((one) => one.status === status)?.seconds ?? 0);
      return [...own, key.ok && key.value !== undefined ? refOf(key.value) : "", ...times, downtimeSeconds, evidence];
    });
  });
  return `${formatCsvLines([columns, ...lines])}\r\n`;
}
