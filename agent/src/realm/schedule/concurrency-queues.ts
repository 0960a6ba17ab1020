import { ConcurrencyQueue } from "./concurrency-queue.ts";

/** [SC11] Lanes by name, each made when it is first needed, in the order in which they have their turns. */
export class ConcurrencyQueues {
  readonly #places: number;
  readonly #lanes = new Map<string, ConcurrencyQueue>();

  /** @param places of each lane, at least 1 */
  constructor(places: number) {
    this.#places = places;
  }

  get running(): number {
    return this.all().reduce((count, lane) => count + lane.running, 0);
  }

  get waiting(): number {
    return this.all().reduce((count, lane) => count + lane.waiting, 0);
  }

  runningIn(name: string): number {
    return this.#lanes.get(name)?.running ?? 0;
  }

  all(): readonly ConcurrencyQueue[] {
    return [...this.#lanes.values()];
  }

  of(name: string): ConcurrencyQueue {
    const lane = this.#lanes.get(name) ?? new ConcurrencyQueue(this.#places);
    this.#lanes.set(name, lane);
    return lane;
  }

  /** Has the first one come last from now on. */
  rotate(): void {
    const [first] = this.#lanes;
    if (first === undefined) return;
    this.#lanes.delete(first[0]);
    this.#lanes.set(...first);
  }
}
