import type { Batch } from "./batch.ts";

/** Objects whose rows are to be told because what covers them moved: a router may cover ten thousand hosts. */
export class CoveredRows {
  readonly #waiting = new Set<string>();
  readonly #size: number;

  /** @param size of the rows that a round is to tell; it tells a quarter of that though it is full without them */
  constructor(size: number) {
    this.#size = size;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Leaves to the round as many as it can tell, first come, first told; the others wait for the next ones. */
  spread({ covered, touched }: Batch): void {
    for (const ref of covered) this.#waiting.add(ref);
    covered.clear();
    const most = Math.max(this.#size - touched.size, this.#size / 4);
    for (const ref of this.#waiting) {
      if (covered.size >= most) return;
      this.#waiting.delete(ref);
      if (!touched.has(ref)) covered.add(ref);
    }
  }
}
