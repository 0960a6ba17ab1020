import type { HistoryEntry } from "@realmwatch/shared/model/history";
import { markChanged, newRoundChanges, type RoundChanges } from "../loop/round-changes.ts";
import type { ObjectRecord } from "../state/object-record.ts";

/** Effects of a changed configuration on the objects of a realm, by a reload or a start. */
type ReloadEffects = {
  readonly history: readonly HistoryEntry[];
  /** Objects that were added or changed. */
  readonly changed: readonly string[];
  /** Records of the removed objects at the time of their removal. */
  readonly removed: readonly ObjectRecord[];
  readonly rowsToRefresh: readonly string[];
  /** Processes to evaluate. */
  readonly processes: readonly string[];
};

/** History entry of a changed configuration. */
export const configHistoryEntry = (output: string, atMs: number): HistoryEntry => ({ atMs, type: "config", output });

/** Changes of one round of a reload. */
export type ReloadRound = { readonly changes: RoundChanges; readonly removed: readonly ObjectRecord[] };

/** [RL3] Splits the effects into rounds of at most `size` objects of each kind. The first one has the history. */
export function* reloadRounds(
  { history, changed, removed, rowsToRefresh, processes }: ReloadEffects,
  size: number,
): Generator<ReloadRound> {
  const most = Math.max(changed.length, removed.length, rowsToRefresh.length, 1);
  for (let at = 0; at < most; at += size) {
    const changes = newRoundChanges();
    if (at === 0) {
      // The program state contains the hash of the configuration.
      changes.programChanged = true;
      changes.history.push(...history);
      for (const ref of processes) changes.processesToEvaluate.add(ref);
    }
    for (const ref of changed.slice(at, at + size)) markChanged(changes, ref, "immediate");
    for (const ref of rowsToRefresh.slice(at, at + size)) changes.rowsToRefresh.add(ref);
    yield { changes, removed: removed.slice(at, at + size) };
  }
}
