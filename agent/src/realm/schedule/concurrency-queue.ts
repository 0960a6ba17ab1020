/** A queue is not moved together before this many have left its front. */
const slack = 1024;

/** First come, first served, and no more than `places` at a time. Each operation is O(1) on average. */
export class ConcurrencyQueue {
  readonly #places: number;
  #queue: string[] = [];
  #front = 0;
  #running = 0;

  /** @param limit at least 1 */
  constructor(limit: number) {
    this.#places = limit;
  }

  get running(): number {
    return this.#running;
  }

  /** How many wait, those that gave up waiting included. */
  get waiting(): number {
    return this.#queue.length - this.#front;
  }

  get first(): string | undefined {
    return this.#queue[this.#front];
  }

  get hasCapacity(): boolean {
    return this.#running < this.#places;
  }

  push(id: string): void {
    this.#queue.push(id);
  }

  /** Takes the first out of the queue; it has no place yet. */
  shift(): string | undefined {
    const first = this.#queue[this.#front];
    if (first === undefined) return undefined;
    this.#front += 1;
    if (this.#front >= slack && this.#front * 2 >= this.#queue.length) {
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

  /** Sends away whoever waits. */
  clear(): void {
    this.#queue = [];
    this.#front = 0;
  }
}
