import type { ObjectPlan } from "@realmwatch/shared/config/plan";

/**
 * [BP8] Rank of each process: the length of the longest chain of processes that it reads. Processes of lower rank are
 * evaluated first, so that none gets a status from inputs that were never valid together. The plan has no cycles.
 */
export class ProcessRanks {
  readonly #objects: ReadonlyMap<string, ObjectPlan>;
  readonly #ranks = new Map<string, number>();

  constructor(objects: ReadonlyMap<string, ObjectPlan>) {
    this.#objects = objects;
  }

  /** Rank of one process; 0 if it reads no other process. */
  of(ref: string): number {
    const known = this.#ranks.get(ref);
    if (known !== undefined) return known;
    const plan = this.#objects.get(ref);
    let rank = 0;
    for (const input of plan !== undefined && "inputs" in plan ? plan.inputs : [])
      if (this.#objects.get(input)?.key.kind === "process") rank = Math.max(rank, this.of(input) + 1);
    this.#ranks.set(ref, rank);
    return rank;
  }

  /** The processes of lowest rank among `refs`. */
  lowestOf(refs: ReadonlySet<string>): readonly string[] {
    let lowest = Number.POSITIVE_INFINITY;
    let found: string[] = [];
    for (const ref of refs) {
      const rank = this.of(ref);
      if (rank > lowest) continue;
      if (rank < lowest) found = [];
      lowest = rank;
      found.push(ref);
    }
    return found;
  }
}
