import { isLive, type LiveEntry } from "./object-entry.ts";
import { isOverdue } from "./row-filter.ts";
import { noteOverdueTime, type RealmRows, type RowStore } from "./row-store.ts";

/** Minimum interval between two searches for overdue rows, ms. */
const searchEveryMs = 2_000;

/** Rows whose expected result is overdue. */
export type OverdueRows = {
  /** Overdue rows at `nowMs`, Unix ms; at most two seconds old, so that many queries cost one pass. */
  at(nowMs: number): Iterable<LiveEntry>;
};

/**
 * Finds the overdue rows of a store. A row that becomes overdue, or no longer is, counts as changed, because clients
 * that poll for changes would otherwise not receive it: time alone changes no row. The rows of a realm are only passed
 * over when the earliest of their overdue times is reached; each result of a check moves the time of its row on.
 */
export function overdueRows(store: RowStore): OverdueRows {
  const overdue = new Set<LiveEntry>();
  let searchedAtMs: number | undefined;

  function search(nowMs: number): void {
    for (const entry of overdue) {
      if (isLive(entry) && isOverdue(entry.row, nowMs)) continue;
      overdue.delete(entry);
      if (!isLive(entry)) continue;
      store.touch(entry);
      // The clock may have been set back.
      const realm = store.realms.get(entry.realm);
      if (realm !== undefined) noteOverdueTime(realm, entry.row);
    }
    for (const realm of store.realms.values()) if (nowMs >= realm.noneOverdueBeforeMs) searchRealm(realm, nowMs);
  }

  function searchRealm(realm: RealmRows, nowMs: number): void {
    realm.noneOverdueBeforeMs = Number.POSITIVE_INFINITY;
    for (const entry of realm.entries.values()) {
      if (!isLive(entry)) continue;
      if (!isOverdue(entry.row, nowMs)) noteOverdueTime(realm, entry.row);
      else if (!overdue.has(entry)) {
        overdue.add(entry);
        store.touch(entry);
      }
    }
  }

  return {
    *at(nowMs) {
      if (searchedAtMs === undefined || nowMs < searchedAtMs || nowMs >= searchedAtMs + searchEveryMs) {
        search(nowMs);
        searchedAtMs = nowMs;
      }
      for (const entry of overdue) if (isLive(entry) && isOverdue(entry.row, nowMs)) yield entry;
    },
  };
}
