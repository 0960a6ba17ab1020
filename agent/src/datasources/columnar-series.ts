import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { type DatasourceFailure, type MetricSeries, maxSeries } from "./datasource.ts";

/** Answer in the format JSONCompact. `zone`: IANA zone of times without one. */
export type ColumnarAnswer = {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly (readonly unknown[])[];
  readonly zone: string;
};

const isTime = ({ name, type }: ColumnarAnswer["columns"][number]): boolean =>
  /^(Nullable\()?Date/.test(type) || /^(t|ts|time|timestamp|at|at_ms)$/i.test(name);
const isNumber = ({ type }: ColumnarAnswer["columns"][number]): boolean =>
  /^(Nullable\()?(U?Int|Float|Decimal)/.test(type);

/**
 * Series of a panel's answer: the first column of times, or one named `t`, `ts`, `time`, `at` or `at_ms`, is the time of a
 * row; each column of numbers is a series, named after it, for each combination of the other columns.
 */
export function panelSeriesOf({ columns, rows, zone }: ColumnarAnswer): Result<MetricSeries[], DatasourceFailure> {
  const timeAt = columns.findIndex(isTime);
  if (timeAt < 0) return fail({ kind: "unavailable", why: "answered no column of times: name one `time`" });
  const values = columns.flatMap((column, at) =>
    at !== timeAt && isNumber(column) ? [{ at, name: column.name }] : [],
  );
  const labels = columns.flatMap((column, at) =>
    at !== timeAt && !isNumber(column) ? [{ at, name: column.name }] : [],
  );
  const series = new Map<string, MetricSeries & { points: { atMs: number; value: number }[] }>();
  for (const row of rows) {
    const atMs = timeOf(row[timeAt], zone);
    if (atMs === undefined) continue;
    const own = Object.fromEntries(labels.map(({ at, name }) => [name, String(row[at] ?? "")]));
    for (const { at, name } of values) {
      const cell = row[at];
      if (cell === null || cell === undefined) continue;
      const key = JSON.stringify([name, own]);
      const found = series.getOrInsertComputed(key, () => ({ name, labels: own, points: [] }));
      found.points.push({ atMs, value: Number(cell) });
    }
    if (series.size > maxSeries) return fail({ kind: "too_large", why: `answered more than ${maxSeries} series` });
  }
  for (const { points } of series.values()) points.sort((a, b) => a.atMs - b.atMs);
  return ok([...series.values()]);
}

/** Times above this are milliseconds: the year 5138 in seconds. */
const lastSecond = 1e11;

/** Time of a cell: Unix seconds or ms, or a text such as `2026-03-10 12:00:00`. Unix ms; undefined for other cells. */
function timeOf(cell: unknown, zone: string): number | undefined {
  const number = typeof cell === "number" ? cell : /^\d+(\.\d+)?$/.test(String(cell)) ? Number(cell) : undefined;
  if (number !== undefined) return Math.round(number > lastSecond ? number : number * 1000);
  try {
    return Temporal.PlainDateTime.from(String(cell).replace(" ", "T")).toZonedDateTime(zone).epochMilliseconds;
  } catch {
    return undefined;
  }
}
