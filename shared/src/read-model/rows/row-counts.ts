import { type ObjectKind, objectKinds } from "../../model/object-key.ts";
import { sizeOfImpact } from "../../model/row.ts";
import { isProblem, type Status, statuses } from "../../model/status.ts";
import type { Row } from "../../row/row.ts";
import type { RowFilter, RowStateTotals } from "../read-model.ts";
import { isUnhandled } from "./row-filter.ts";

/**
 * Incrementally maintained counts of rows, one cell for each kind, status and unhandled or not. A summary filtered by
 * these alone is the sum of 36 cells, for any number of rows.
 */
export type RowCounts = { readonly cells: Int32Array };

/** Numbers of a cell, in storage order. */
const columns = ["count", "inDowntime", "acknowledged", "flapping", "behind"] as const;
const width = columns.length;

export const emptyRowCounts = (): RowCounts => ({
  cells: new Int32Array(objectKinds.length * statuses.length * 2 * width),
});

/** Adds (`by` 1) or subtracts (`by` -1) a row. */
export function countRow({ cells }: RowCounts, row: Row, by: 1 | -1): void {
  const at = cellAt(row.about.key.kind, row.status, isUnhandled(row));
  add(cells, at, by);
  if (row.inDowntime) add(cells, at + 1, by);
  if (row.acknowledgement !== undefined) add(cells, at + 2, by);
  if (row.flapping) add(cells, at + 3, by);
  if (row.impact !== undefined && isUnhandled(row)) add(cells, at + 4, by * sizeOfImpact(row.impact));
}

export function summaryOfRows(rows: Iterable<Row>): RowStateTotals {
  const rowCounts = emptyRowCounts();
  for (const row of rows) countRow(rowCounts, row, 1);
  return summaryOfCounts([rowCounts], everyCell);
}

type CellFilter = Pick<RowFilter, "kinds" | "statuses" | "problemsOnly" | "unhandledOnly">;
const everyCell: CellFilter = { kinds: [], statuses: [], problemsOnly: false, unhandledOnly: false };

/** Summary of all counted rows that pass the conditions on kind, status and handling. */
export function summaryOfCounts(allCounts: Iterable<RowCounts>, filter: CellFilter): RowStateTotals {
  const counts: { kind: ObjectKind; status: Status; count: number }[] = [];
  const totals = { unhandled: 0, inDowntime: 0, acknowledged: 0, flapping: 0, behind: 0 };
  const sum = sumOf(allCounts);
  for (const kind of objectKinds) {
    for (const status of statuses) {
      const count = addCells(sum, { kind, status, filter, totals });
      if (count > 0) counts.push({ kind, status, count });
    }
  }
  return { counts, ...totals };
}

type Totals = Omit<Record<keyof RowStateTotals, number>, "counts">;
type CellPair = {
  readonly kind: ObjectKind;
  readonly status: Status;
  readonly filter: CellFilter;
  readonly totals: Totals;
};

function addCells(sum: Int32Array, { kind, status, filter, totals }: CellPair): number {
  let count = 0;
  for (const unhandled of [false, true]) {
    if (!passes(filter, kind, status, unhandled)) continue;
    const at = cellAt(kind, status, unhandled);
    count += sum[at] ?? 0;
    if (unhandled) totals.unhandled += sum[at] ?? 0;
    totals.inDowntime += sum[at + 1] ?? 0;
    totals.acknowledged += sum[at + 2] ?? 0;
    totals.flapping += sum[at + 3] ?? 0;
    totals.behind += sum[at + 4] ?? 0;
  }
  return count;
}

const passes = (filter: CellFilter, kind: ObjectKind, status: Status, unhandled: boolean): boolean =>
  (filter.kinds.length === 0 || filter.kinds.includes(kind)) &&
  (filter.statuses.length === 0 || filter.statuses.includes(status)) &&
  (!filter.problemsOnly || isProblem(status)) &&
  (!filter.unhandledOnly || unhandled);

const cellAt = (kind: ObjectKind, status: Status, unhandled: boolean): number =>
  ((objectKinds.indexOf(kind) * statuses.length + statuses.indexOf(status)) * 2 + (unhandled ? 1 : 0)) * width;

function add(cells: Int32Array, at: number, by: number): void {
  cells[at] = (cells[at] ?? 0) + by;
}

function sumOf(allCounts: Iterable<RowCounts>): Int32Array {
  const { cells: sum } = emptyRowCounts();
  for (const { cells } of allCounts) for (let at = 0; at < sum.length; at += 1) add(sum, at, cells[at] ?? 0);
  return sum;
}
