import type { RoundChanges } from "../loop/round-changes.ts";

/** Objects whose rows are to be told because what covers them moved: a router may cover ten thousand hosts. */
export class RowRefreshQueue {
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
  spread({ rowsToRefresh, objects }: RoundChanges): void {
    for (const ref of rowsToRefresh) this.#waiting.add(ref);
    rowsToRefresh.clear();
    const most = Math.max(this.#size - objects.size, this.#size / 4);
    for (const ref of this.#waiting) {
      if (rowsToRefresh.size >= most) return;
      this.#waiting.delete(ref);
      if (!objects.has(ref)) rowsToRefresh.add(ref);
    }
  }
}
