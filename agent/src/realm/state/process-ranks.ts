import type { ObjectPlan } from "@realmwatch/shared/config/plan";

/**
 * [BP8] How many processes stand one on another beneath each: what is beneath is worked out first, so that none is ever
 * seen in a state that its inputs never had together. The plan has no cycles.
 */
export class ProcessRanks {
  readonly #objects: ReadonlyMap<string, ObjectPlan>;
  readonly #ranks = new Map<string, number>();

  constructor(objects: ReadonlyMap<string, ObjectPlan>) {
    this.#objects = objects;
  }

  /** 0 for a process that reads no other one. */
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

  /** Those of them beneath which none of the others stands. */
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
