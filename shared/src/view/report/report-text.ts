import type { UnansweredRealm } from "@realmwatch/proto/svc/v1/query_pb";
import type { Report, ReportRow } from "./report.ts";
import {
  achievedText,
  budgetLeftText,
  evidenceText,
  hoursText,
  objectText,
  rowTitle,
  summaryText,
  targetText,
} from "./report-figures.ts";
import { formatLocal, monthRange, type ReportRange } from "./report-range.ts";

/** Subject of the figures of a report. */
export type ReportSpan = ReportRange & {
  readonly zone: string;
  /** Such as `2026-10`; undefined for a free range. */
  readonly month: string | undefined;
};

/** `2026-10, Europe/Berlin`, with `so far` in a month that is not over; the bounds of a free range. */
export function spanText({ fromMs, toMs, zone, month }: ReportSpan): string {
  if (month === undefined) return `${formatLocal(fromMs, zone)} to ${formatLocal(toMs, zone)}, ${zone}`;
  return `${month}${toMs < monthRange(month, zone).toMs ? " so far" : ""}, ${zone}`;
}

/** [RP10] Report as plain text, the summary first. Lines do not form a table: mail programs show them in any font. */
export function reportText(report: Report, span: ReportSpan, unanswered: readonly UnansweredRealm[]): string {
  const missing = unanswered.map(
    ({ realm, code, message }) => `Realm ${realm} gave no answer, its objectives are missing: ${code} ${message}`,
  );
  const bounds = `${formatLocal(span.fromMs, span.zone)} to ${formatLocal(span.toMs, span.zone)}`;
  const blocks = report.rows.map((row) => rowLines(row, report).join("\n"));
  return `${[[`Service levels ${spanText(span)}`, bounds, summaryText(report), ...missing].join("\n"), ...blocks].join("\n\n")}\n`;
}

function rowLines(row: ReportRow, { by }: Report): readonly string[] {
  const realm = by.kind === "slo" && row.realm !== "" ? ` (${row.realm})` : "";
  const target = row.target === undefined ? "" : `, target ${targetText(row)}`;
  const budget = row.errorBudgetLeft === undefined ? "" : `, budget left ${budgetLeftText(row)}`;
  return [
    `${rowTitle(row, by)}${realm}`,
    `  achieved ${achievedText(row)}${target}${budget}, evidence ${evidenceText(row)}`,
    `  down ${hoursText(row.downHours)}, in downtime ${hoursText(row.downtimeHours)}`,
    ...row.worst.map((object) => `  ${objectText(object)}: down ${hoursText(object.downHours)}`),
  ];
}
