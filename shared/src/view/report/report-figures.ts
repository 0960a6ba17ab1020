import { refOf } from "../../model/object-key.ts";
import { formatCsvLines } from "../csv.ts";
import { isLowEvidence } from "../evidence.ts";
import { counted } from "../plural.ts";
import { truncateDecimals } from "../truncate-decimals.ts";
import type { Report, ReportBy, ReportFigures, ReportObject, ReportRow } from "./report.ts";

/** Largest overdraft of a budget that is an error of floating-point numbers. */
const rounding = 1e-9;

/** Judgement of figures: `none` without evidence. */
type ReportVerdict = "missed" | "met" | "none";

/** [RP7] A target is missed when its error budget is overspent. */
export const verdictOf = ({ errorBudgetLeft: left }: ReportFigures): ReportVerdict =>
  left === undefined ? "none" : left < -rounding ? "missed" : "met";

/** `99.9312 %`; `no evidence` where no time counts. */
export const achievedText = ({ achieved }: ReportFigures): string =>
  achieved === undefined ? "no evidence" : `${truncateDecimals(achieved, 4)} %`;

export const targetText = ({ target }: ReportFigures): string =>
  target === undefined ? "" : `${truncateDecimals(target, 4)} %`;

/** `31.2 %`; below zero where the budget is overspent. */
export const budgetLeftText = ({ errorBudgetLeft: left }: ReportFigures): string =>
  left === undefined ? "" : `${truncateDecimals(left * 100, 1)} %`;

/** [RP8] `87.21 %`, with `low` where it is too small to rely on the figures beside it. */
export const evidenceText = ({ evidence }: ReportFigures): string =>
  `${truncateDecimals(evidence, 2)} %${isLowEvidence(evidence) ? " low" : ""}`;

/** `3.25 h`. */
export const hoursText = (hours: number): string =>
  hours > 0 && hours < 0.01 ? "< 0.01 h" : `${truncateDecimals(hours, 2)} h`;

/** Name of a row, also of the row for objects without a label. */
export function rowTitle({ name }: Pick<ReportRow, "name">, by: ReportBy): string {
  if (name !== "") return name;
  return by.kind === "label" ? `without ${by.key}` : "this realm";
}

/** Heading of the column with the names. */
export const byTitle = (by: ReportBy): string =>
  by.kind === "slo" ? "Objective" : by.kind === "realm" ? "Realm" : `Label ${by.key}`;

/** `fra web1!http`; without realm on an agent. */
export const objectText = ({ realm, key }: Pick<ReportObject, "realm" | "key">): string =>
  realm === "" ? refOf(key) : `${realm} ${refOf(key)}`;

const nouns = { slo: "objective", realm: "realm", label: "group" } as const;

/** `3 objectives: 1 missed the target, 2 met it. 1 has evidence below 95 %.` */
export function summaryText({ by, rows }: Report): string {
  const count = (verdict: ReportVerdict): number => rows.filter((row) => verdictOf(row) === verdict).length;
  const parts = [
    [count("missed"), "missed the target"],
    [count("met"), "met it"],
    [count("none"), "without evidence"],
  ] as const;
  const verdicts = parts.flatMap(([number, text]) => (number === 0 ? [] : [`${number} ${text}`]));
  const low = rows.filter((row) => isLowEvidence(row.evidence)).length;
  const marked = low === 0 ? "" : ` ${low} ${low === 1 ? "has" : "have"} evidence below 95 %.`;
  const what = counted(rows.length, nouns[by.kind]);
  return verdicts.length === 0 ? `${what}.` : `${what}: ${verdicts.join(", ")}.${marked}`;
}

const figuresRecord = (figures: ReportFigures) => ({
  ...{ objects: figures.objects, target: figures.target, achieved: figures.achieved },
  ...{ errorBudgetLeft: figures.errorBudgetLeft, evidence: figures.evidence },
  ...{ upHours: figures.upHours, downHours: figures.downHours, downtimeHours: figures.downtimeHours },
});

/** Row as JSON, whose fields are the columns of CSV. */
function rowRecord(row: ReportRow) {
  const worst = row.worst.map((one) => ({
    ...{ realm: one.realm, object: refOf(one.key), slo: one.slo },
    ...{ achieved: one.achieved, evidence: one.evidence, downHours: one.downHours, downtimeHours: one.downtimeHours },
  }));
  return { name: row.name, realm: row.realm, ...figuresRecord(row), worst };
}

/** Report as JSON. */
export const reportRecord = ({ total, rows }: Report) => ({ total: figuresRecord(total), rows: rows.map(rowRecord) });

const columns = [
  ...["name", "realm", "objects", "target", "achieved", "errorBudgetLeft", "evidence"],
  ...["upHours", "downHours", "downtimeHours", "worst"],
] as const satisfies readonly (keyof ReturnType<typeof rowRecord>)[];

/** [RP9] Report as CSV, one line for each row; the worst objects are one text. */
export function reportCsv({ rows }: Report): string {
  const lines = rows.map((row) => {
    const record = rowRecord(row);
    return columns.map((column) => (column === "worst" ? row.worst.map(objectText).join("; ") : record[column]));
  });
  return `${formatCsvLines([columns, ...lines])}\r\n`;
}
