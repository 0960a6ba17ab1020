import type { HistoryEntry } from "@realmwatch/shared/model/history";
import { type Batch, newBatch, touch } from "./batch.ts";
import type { ObjectRecord } from "./realm-state.ts";

/** What another plan means for a realm's objects: by a reload, or by a start with what the one before left. */
export type SwapEffects = {
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
export const configEntry = (output: string, atMs: number): HistoryEntry => ({ atMs, type: "config", output });

/** One round of what another plan changed. */
export type SwapRound = { readonly batch: Batch; readonly gone: readonly ObjectRecord[] };

/** [RL3] What another plan changed, in rounds of at most `size` objects of a sort; at least one, with the record of it. */
export function* swapRounds(
  { history, touched, gone, covered, processes }: SwapEffects,
  size: number,
): Generator<SwapRound> {
  const most = Math.max(touched.length, gone.length, covered.length, 1);
  for (let at = 0; at < most; at += size) {
    const batch = newBatch();
    if (at === 0) {
      // Which document it was is kept with the realm's own state.
      batch.programChanged = true;
      batch.history.push(...history);
      for (const ref of processes) batch.evaluate.add(ref);
    }
    for (const ref of touched.slice(at, at + size)) touch(batch, ref, "changed");
    for (const ref of covered.slice(at, at + size)) batch.covered.add(ref);
    yield { batch, gone: gone.slice(at, at + size) };
  }
}
