/** Number of taken entries below which the array is not compacted. */
const compactAfter = 1024;

/** FIFO queue with a limit on how many of its ids run at once. All operations are amortised O(1). */
export class ConcurrencyQueue {
  readonly #limit: number;
  #queue: string[] = [];
  #front = 0;
  #running = 0;

  /** @param limit maximum number of ids running at once, at least 1 */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get running(): number {
    return this.#running;
  }

  /** Number of waiting ids, including those that were cancelled since. */
  get waiting(): number {
    return this.#queue.length - this.#front;
  }

  get first(): string | undefined {
    return this.#queue[this.#front];
  }

  get hasCapacity(): boolean {
    return this.#running < this.#limit;
  }

  push(id: string): void {
    this.#queue.push(id);
  }

  /** Removes and returns the first waiting id. It counts as running only after `acquire`. */
  shift(): string | undefined {
    const first = this.#queue[this.#front];
    if (first === undefined) return undefined;
    this.#front += 1;
    if (this.#front >= compactAfter && this.#front * 2 >= this.#queue.length) {
      this.#queue = this.#queue.slice(this.#front);
      this.#front = 0;
    }
    return first;
  }

  acquire(): void {
    this.#running += 1;
  }

  release(): void {
    this.#running -= 1;
  }

  /** Removes all waiting ids. */
  clear(): void {
    this.#queue = [];
    this.#front = 0;
  }
}
