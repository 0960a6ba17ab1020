import { Lane } from "./lane.ts";

/** [SC11] Lanes by name, each made when it is first needed, in the order in which they have their turns. */
export class Lanes {
  readonly #places: number;
  readonly #lanes = new Map<string, Lane>();

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

  all(): readonly Lane[] {
    return [...this.#lanes.values()];
  }

  of(name: string): Lane {
    const lane = this.#lanes.get(name) ?? new Lane(this.#places);
    this.#lanes.set(name, lane);
    return lane;
  }

  /** Has the first one come last from now on. */
  turn(): void {
    const [first] = this.#lanes;
    if (first === undefined) return;
    this.#lanes.delete(first[0]);
    this.#lanes.set(...first);
  }
}
