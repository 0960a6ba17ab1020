import type { HistoryEntry } from "@realmwatch/shared/model/history";
import { type RoundChanges, newRoundChanges, markChanged } from "../loop/round-changes.ts";
import type { ObjectRecord } from "../state/object-record.ts";

/** What another plan means for a realm's objects: by a reload, or by a start with what the one before left. */
export type ReloadEffects = {
  /** What history says of it. */
  readonly history: readonly HistoryEntry[];
  /** Objects that are new or changed. */
  readonly touched: readonly string[];
  /** The removed objects as they were last. */
  readonly gone: readonly ObjectRecord[];
  /** Objects with a problem on which a dependency has or had a say. */
  readonly covered: readonly string[];
  readonly processes: readonly string[];
};

/** The record of another document. */
export const configHistoryEntry = (output: string, atMs: number): HistoryEntry => ({ atMs, type: "config", output });

/** One round of what another plan changed. */
export type ReloadRound = { readonly batch: RoundChanges; readonly gone: readonly ObjectRecord[] };

/** [RL3] What another plan changed, in rounds of at most `size` objects of a sort; at least one, with the record of it. */
export function* reloadRounds(
  { history, touched, gone, covered, processes }: ReloadEffects,
  size: number,
): Generator<ReloadRound> {
  const most = Math.max(touched.length, gone.length, covered.length, 1);
  for (let at = 0; at < most; at += size) {
    const batch = newRoundChanges();
    if (at === 0) {
      // Which document it was is kept with the realm's own state.
      batch.programChanged = true;
      batch.history.push(...history);
      for (const ref of processes) batch.processesToEvaluate.add(ref);
    }
    for (const ref of touched.slice(at, at + size)) markChanged(batch, ref, "changed");
    for (const ref of covered.slice(at, at + size)) batch.rowsToRefresh.add(ref);
    yield { batch, gone: gone.slice(at, at + size) };
  }
}
