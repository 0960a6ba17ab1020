import type { Clock } from "@realmwatch/shared/model/clock";

/** Pause before the next attempt to start a program, ms; doubled with each failure. */
const firstPauseMs = 50;
const maxPauseMs = 1_000;
/** Duration after which a shortage counts as permanent when no program of the pool is running, ms. */
const permanentAfterMs = 2_000;

/**
 * Concurrency limit that adapts to a shortage of processes, memory or descriptors. After a failed start the limit drops
 * to the number of running programs, and nothing starts for a pause; each successful start then raises it by one.
 */
export class AdaptiveConcurrency {
  readonly #clock: Clock;
  readonly #max: number;
  readonly #resume: () => void;
  #limit: number;
  #pauseMs = firstPauseMs;
  #cancelPause: (() => void) | undefined;
  #shortageSinceMs: number | undefined;

  /** @param resume called at the end of a pause */
  constructor(clock: Clock, max: number, resume: () => void) {
    this.#clock = clock;
    this.#max = max;
    this.#limit = max;
    this.#resume = resume;
  }

  /** Number of programs that may run concurrently; 0 during a pause. */
  get limit(): number {
    return this.#cancelPause === undefined ? this.#limit : 0;
  }

  /** Records a successful start. */
  recordStart(): void {
    this.#shortageSinceMs = undefined;
    this.#pauseMs = firstPauseMs;
    if (this.#limit < this.#max) this.#limit += 1;
  }

  /**
   * Records a failed start.
   *
   * @param running number of running programs of the pool, whose end frees resources
   * @returns `give_up` when none is running and the shortage lasts
   */
  recordShortage(running: number): "wait" | "give_up" {
    const nowMs = this.#clock.monotonic();
    this.#shortageSinceMs ??= nowMs;
    this.#limit = Math.max(1, Math.min(this.#limit, running));
    if (this.#cancelPause === undefined) {
      this.#cancelPause = this.#clock.after(this.#pauseMs, () => {
        this.#cancelPause = undefined;
        this.#resume();
      });
      this.#pauseMs = Math.min(2 * this.#pauseMs, maxPauseMs);
    }
    return running === 0 && nowMs - this.#shortageSinceMs >= permanentAfterMs ? "give_up" : "wait";
  }

  stop(): void {
    this.#cancelPause?.();
    this.#cancelPause = undefined;
  }
}
