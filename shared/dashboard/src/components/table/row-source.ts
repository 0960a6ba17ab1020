import type { Status } from "@realmwatch/shared/model/status";
import type { StatusItem } from "../../api/status/status-item.ts";

/** Rows of a table, of which some may not be loaded yet. A group that is folded has the place of one row. */
export type RowSource = {
  readonly count: number;
  /** Row at an index; undefined while it is not loaded, and for a folded group. */
  at(index: number): StatusItem | undefined;
  /** Loaded rows, in order. */
  readonly loaded: readonly StatusItem[];
  /** Index of a loaded row; -1 when it is not loaded. */
  indexOf(id: string): number;
  /** Group that begins at an index; undefined for other rows, and missing when rows are not grouped. */
  groupAt?(index: number): RowGroup | undefined;
};

/** Rows of a group, also while they are folded below its heading. */
export type RowGroup = {
  readonly title: string;
  readonly items: readonly StatusItem[];
  /** Most severe status of its rows. */
  readonly worst: Status;
  readonly folded: boolean;
  /** Selector that narrows a request down to rows among which those of the group are; empty for none. */
  readonly selector: string;
  /** Tests whether a row is in the group, as far as its label is known. */
  readonly has: (item: StatusItem) => boolean;
};
