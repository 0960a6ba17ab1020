import { showPlanDiff } from "@realmwatch/shared/config/show-plan-diff";
import { type Batch, newBatch, touch } from "./batch.ts";
import type { ObjectRecord } from "./realm-state.ts";
import type { Swapped } from "./swap-plan.ts";

/** One round of what another plan changed. */
export type SwapRound = { readonly batch: Batch; readonly gone: readonly ObjectRecord[] };

/** [RL3] What another plan changed, in rounds of at most `size` objects of a sort; at least one, with the record of it. */
export function* swapRounds(swapped: Swapped, { size, nowMs }: { size: number; nowMs: number }): Generator<SwapRound> {
  const { added, changed, gone, covered, processes } = swapped;
  const touched = [...added, ...changed.map(({ after }) => after)];
  const most = Math.max(touched.length, gone.length, covered.length, 1);
  for (let at = 0; at < most; at += size) {
    const batch = newBatch();
    if (at === 0) batch.history.push({ atMs: nowMs, type: "config", output: showPlanDiff(swapped).join("; ") });
    if (at === 0) for (const ref of processes) batch.evaluate.add(ref);
    for (const { ref } of touched.slice(at, at + size)) touch(batch, ref, "changed");
    for (const ref of covered.slice(at, at + size)) batch.covered.add(ref);
    yield { batch, gone: gone.slice(at, at + size) };
  }
}
