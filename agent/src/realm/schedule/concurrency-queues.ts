import { ConcurrencyQueue } from "./concurrency-queue.ts";

/** [SC11] Concurrency queues by name, created on first use, in round-robin order. */
export class ConcurrencyQueues {
  readonly #limit: number;
  readonly #queues = new Map<string, ConcurrencyQueue>();

  /** @param limit maximum number of ids running at once in each queue, at least 1 */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get running(): number {
    return this.all().reduce((count, queue) => count + queue.running, 0);
  }

  get waiting(): number {
    return this.all().reduce((count, queue) => count + queue.waiting, 0);
  }

  runningIn(name: string): number {
    return this.#queues.get(name)?.running ?? 0;
  }

  all(): readonly ConcurrencyQueue[] {
    return [...this.#queues.values()];
  }

  of(name: string): ConcurrencyQueue {
    const queue = this.#queues.get(name) ?? new ConcurrencyQueue(this.#limit);
    this.#queues.set(name, queue);
    return queue;
  }

  /** Moves the first queue to the end of the order. */
  rotate(): void {
    const [first] = this.#queues;
    if (first === undefined) return;
    this.#queues.delete(first[0]);
    this.#queues.set(...first);
  }
}
