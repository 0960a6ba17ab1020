import type { Clock } from "@realmwatch/shared/model/clock";
import { DueQueue } from "./due-queue.ts";

type DueTimerOptions = {
  readonly clock: Clock;
  /** Handles an id that was due at `at`. The id is removed before, and may be set again at once. */
  due(id: string, at: number): void;
  /** Called after each batch of `due` calls. */
  batchDone(): void;
};

/** Maximum number of `due` calls before the timer yields to the event loop. */
const maxBatch = 256;

/** A `DueQueue` on the monotonic clock that calls back when ids are due. */
export class DueTimer {
  readonly #options: DueTimerOptions;
  readonly #queue = new DueQueue();
  #cancel: () => void = () => {};
  /** Time of the scheduled call; Infinity when none is scheduled. */
  #wakesAt = Number.POSITIVE_INFINITY;
  #stopped = false;

  constructor(options: DueTimerOptions) {
    this.#options = options;
  }

  /** Earliest due time; Infinity when the queue is empty. */
  get nextAt(): number {
    return this.#queue.nextAt;
  }

  at(id: string): number | undefined {
    return this.#queue.at(id);
  }

  /** Adds or moves `id`, monotonic ms. */
  set(id: string, at: number): void {
    this.#queue.set(id, at);
    this.#schedule();
  }

  delete(id: string): void {
    this.#queue.delete(id);
  }

  /** Ends all calls. */
  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }

  #schedule(): void {
    const at = this.#queue.nextAt;
    if (this.#stopped || at >= this.#wakesAt) return;
    this.#cancel();
    this.#wakesAt = at;
    const { clock } = this.#options;
    this.#cancel = clock.after(Math.max(0, at - clock.monotonic()), () => this.#runBatch());
  }

  #runBatch(): void {
    this.#wakesAt = Number.POSITIVE_INFINITY;
    const now = this.#options.clock.monotonic();
    for (let n = 0; n < maxBatch; n += 1) {
      const due = this.#queue.take(now);
      if (due === undefined) break;
      this.#options.due(due.id, due.at);
    }
    this.#options.batchDone();
    this.#schedule();
  }
}
