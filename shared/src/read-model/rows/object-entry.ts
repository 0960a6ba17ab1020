import { never } from "../../model/never.ts";
import type { ObjectKey } from "../../model/object-key.ts";
import type { Row } from "../../row/row.ts";
import type { StatusSort } from "../read-model.ts";

/** Entry of one object: its current row, or a tombstone (`row` undefined) after its removal. */
export type ObjectEntry = {
  readonly realm: string;
  readonly key: ObjectKey;
  readonly ref: string;
  /** Sort key by name, see `nameSortKey`. */
  readonly sortKey: string;
  row: Row | undefined;
  /** Entry of the row's topmost cause. */
  cause: ObjectEntry | undefined;
  /** Newest version applied, of the row or of its removal. */
  epoch: number;
  revision: number;
  /** Number of the change that made this version; `older` and `newer` link the entry into the `ChangeList`. */
  change: number;
  /** Number of the last change that gave the row another place by severity or by last change. */
  placeChange: number;
  older: ObjectEntry | undefined;
  newer: ObjectEntry | undefined;
};

export type LiveEntry = ObjectEntry & { row: Row };

/**
 * Number of the last change that may have given the row another place in a sort order. By severity a row has its place
 * after its cause, and moves with it.
 */
export function placeChangeOf({ change, placeChange, cause }: ObjectEntry, by: StatusSort["by"]): number {
  switch (by) {
    case "name":
      return 0;
    case "lastCheck":
      return change;
    case "severity":
      return Math.max(placeChange, cause?.placeChange ?? 0);
    case "lastChange":
      return placeChange;
    default:
      return never(by);
  }
}

export const isLive = (entry: ObjectEntry): entry is LiveEntry => entry.row !== undefined;

/** All entries, linked in the order of their last change and iterated from the newest one back. */
export type ChangeList = ReturnType<typeof changeList>;

export function changeList() {
  let newest: ObjectEntry | undefined;
  let newestChange = 0;
  const unlink = (entry: ObjectEntry): void => {
    if (entry.older !== undefined) entry.older.newer = entry.newer;
    if (entry.newer !== undefined) entry.newer.older = entry.older;
    if (newest === entry) newest = entry.older;
    entry.older = undefined;
    entry.newer = undefined;
  };
  return {
    /** Number of the newest change; 0 before the first. */
    get newestChange() {
      return newestChange;
    },
    /** Moves the entry to the newest position. */
    touch(entry: ObjectEntry) {
      unlink(entry);
      entry.older = newest;
      if (newest !== undefined) newest.newer = entry;
      newest = entry;
      newestChange += 1;
      entry.change = newestChange;
    },
    remove: unlink,
    /** Entries changed after `change`, newest first. The cost is proportional to their number. */
    *since(change: number): Iterable<ObjectEntry> {
      for (let entry = newest; entry !== undefined && entry.change > change; entry = entry.older) yield entry;
    },
  };
}
