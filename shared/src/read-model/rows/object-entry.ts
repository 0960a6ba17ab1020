import type { ObjectKey } from "../../model/object-key.ts";
import type { Row } from "../../model/row.ts";

/** What a memory model keeps of one object: its row or, without one, the fact that it is gone. */
export type ObjectEntry = {
  readonly realm: string;
  readonly key: ObjectKey;
  readonly ref: string;
  /** `placeText`. */
  readonly sortKey: string;
  row: Row | undefined;
  /** The newest version heard of, of the row or of its end. */
  epoch: number;
  revision: number;
  /** The model's change that made this version; links the entry into the chain of changes. */
  change: number;
  older: ObjectEntry | undefined;
  newer: ObjectEntry | undefined;
};

export type LiveEntry = ObjectEntry & { row: Row };

export const isLive = (entry: ObjectEntry): entry is LiveEntry => entry.row !== undefined;

/** All entries in the order of their last change. Whoever asks what is new walks back from the newest one. */
export type ChangeList = {
  /** Number of the newest change; 0 before the first. */
  readonly newestChange: number;
  /** Makes the entry the newest, wherever it stood. */
  touch(entry: ObjectEntry): void;
  remove(entry: ObjectEntry): void;
  /** Entries changed after `change`, newest first. Costs what it yields. */
  since(change: number): Iterable<ObjectEntry>;
};

export function changeList(): ChangeList {
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
    get newestChange() {
      return newestChange;
    },
    touch(entry) {
      unlink(entry);
      entry.older = newest;
      if (newest !== undefined) newest.newer = entry;
      newest = entry;
      newestChange += 1;
      entry.change = newestChange;
    },
    remove: unlink,
    *since(change) {
      for (let entry = newest; entry !== undefined && entry.change > change; entry = entry.older) yield entry;
    },
  };
}
