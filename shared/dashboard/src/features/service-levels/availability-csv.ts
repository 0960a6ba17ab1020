import { Status } from "@realmwatch/proto/svc/v1/common_pb";
import type { SloReport } from "@realmwatch/proto/svc/v1/query_pb";
import { keyOfWireRef } from "../../api/status/object-key.ts";

const statusColumns: readonly (readonly [name: string, status: Status])[] = [
  ["ok_seconds", Status.OK],
  ["warning_seconds", Status.WARNING],
  ["critical_seconds", Status.CRITICAL],
  ["unknown_seconds", Status.UNKNOWN],
  ["unreachable_seconds", Status.UNREACHABLE],
  ["pending_seconds", Status.PENDING],
  ["no_evidence_seconds", Status.UNSPECIFIED],
];

const columns = [
  ...["realm", "slo", "target_percent", "achieved_percent", "error_budget_left", "burn_rate", "downtimes_excluded"],
  ...["kind", "host", "name", ...statusColumns.map(([name]) => name), "downtime_seconds"],
  ...["evidence_percent", "object_evidence_percent"],
];

/** Cells of the object and its times, in the line of an objective without objects. */
const noObject: undefined[] = Array.from({ length: 4 + statusColumns.length });

/**
 * Reports as CSV, one line for each object; an objective without objects has one line without an object. A figure
 * without evidence is empty.
 */
export function availabilityCsv(reports: readonly SloReport[]): string {
  const lines = reports.flatMap((report) => {
    const { realm, name, target, achieved, errorBudgetLeft, burnRate, downtimesExcluded = false, objects } = report;
    const own = [realm, name, target, achieved, errorBudgetLeft, burnRate, downtimesExcluded];
    if (objects.length === 0) return [[...own, ...noObject, report.evidence]];
    return objects.map(({ object, seconds, downtimeSeconds, evidence }) => {
      const key = keyOfWireRef(object);
      const host = key?.kind === "service" ? key.host : "";
      const times = statusColumns.map(([, status]) => seconds.find((one) => one.status === status)?.seconds ?? 0);
      return [...own, key?.kind ?? "", host, key?.name ?? "", ...times, downtimeSeconds, report.evidence, evidence];
    });
  });
  return [columns, ...lines].map((line) => `${line.map(cell).join(",")}\r\n`).join("");
}

/** Text cell of CSV. Spreadsheets take a text that begins like a formula for one, so it gets an apostrophe. */
function cell(value: string | number | boolean | undefined): string {
  if (value === undefined) return "";
  if (typeof value !== "string") return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
