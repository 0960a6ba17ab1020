import type { StatusItem } from "../../api/status/status-item.ts";

/** Rows of a table, of which some may not be loaded yet. */
export type RowSource = {
  readonly count: number;
  /** Row at an index; undefined while it is not loaded. */
  at(index: number): StatusItem | undefined;
  /** Loaded rows, in order. */
  readonly loaded: readonly StatusItem[];
  /** Index of a loaded row; -1 when it is not loaded. */
  indexOf(id: string): number;
  /** Group that begins at an index; undefined for other rows, and missing when rows are not grouped. */
  groupAt?(index: number): RowGroup | undefined;
};

/** Heading above the rows of a group. */
export type RowGroup = { readonly title: string; readonly rows: number };
