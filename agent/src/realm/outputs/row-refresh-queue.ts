import type { RoundChanges } from "../loop/round-changes.ts";

/** Rows that wait to be refreshed because a host, parent or dependency of their object changed, in order of arrival. */
export class RowRefreshQueue {
  readonly #waiting = new Set<string>();
  readonly #rowsPerRound: number;

  /** @param rowsPerRound maximum number of rows that a round publishes; it refreshes at least a quarter as many */
  constructor(rowsPerRound: number) {
    this.#rowsPerRound = rowsPerRound;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Queues all rows to refresh of the round and assigns to it as many as it can publish: a router may affect 10,000. */
  assign({ rowsToRefresh, objects }: RoundChanges): void {
    for (const ref of rowsToRefresh) this.#waiting.add(ref);
    rowsToRefresh.clear();
    const most = Math.max(this.#rowsPerRound - objects.size, this.#rowsPerRound / 4);
    for (const ref of this.#waiting) {
      if (rowsToRefresh.size >= most) return;
      this.#waiting.delete(ref);
      if (!objects.has(ref)) rowsToRefresh.add(ref);
    }
  }
}
