import type { HistoryRecord } from "../../model/history.ts";

/** Position of a record in the merged history of all realms. */
export type HistoryPosition = Pick<HistoryRecord, "atMs" | "realm" | "seq">;

/** Negative when `a` is older. Compares by time first, because each realm numbers its records separately. */
export const compareHistory = (a: HistoryPosition, b: HistoryPosition): number =>
  a.atMs - b.atMs || (a.realm < b.realm ? -1 : a.realm > b.realm ? 1 : a.seq - b.seq);
