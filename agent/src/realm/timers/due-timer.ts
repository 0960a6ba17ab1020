import type { Clock } from "@realmwatch/shared/model/clock";
import { DueQueue } from "./due-queue.ts";

export type DueTimerOptions = {
  readonly clock: Clock;
  /** The instant of `id`, which was `at`, has come. It has none any more, and may be given another one at once. */
  due(id: string, at: number): void;
  /** All of one go were told to `due`. */
  taken(): void;
};

/** Told of in one go before others get the thread. */
const dueBurst = 256;

/** A `DueQueue` on the monotonic clock that calls when somebody is due. */
export class DueTimer {
  readonly #options: DueTimerOptions;
  readonly #queue = new DueQueue();
  #cancel: () => void = () => {};
  /** When the timer rings; Infinity where none is set. */
  #ringsAt = Number.POSITIVE_INFINITY;
  #stopped = false;

  constructor(options: DueTimerOptions) {
    this.#options = options;
  }

  /** The earliest instant; Infinity when nobody waits. */
  get nextAt(): number {
    return this.#queue.nextAt;
  }

  at(id: string): number | undefined {
    return this.#queue.at(id);
  }

  /** Puts or moves `id`, monotonic ms. */
  set(id: string, at: number): void {
    this.#queue.set(id, at);
    this.#arm();
  }

  delete(id: string): void {
    this.#queue.delete(id);
  }

  /** Nobody is called any more. */
  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }

  #arm(): void {
    const at = this.#queue.nextAt;
    if (this.#stopped || at >= this.#ringsAt) return;
    this.#cancel();
    this.#ringsAt = at;
    const { clock } = this.#options;
    this.#cancel = clock.after(Math.max(0, at - clock.monotonic()), () => this.#ring());
  }

  #ring(): void {
    this.#ringsAt = Number.POSITIVE_INFINITY;
    const now = this.#options.clock.monotonic();
    for (let n = 0; n < dueBurst; n += 1) {
      const due = this.#queue.take(now);
      if (due === undefined) break;
      this.#options.due(due.id, due.at);
    }
    this.#options.taken();
    this.#arm();
  }
}
