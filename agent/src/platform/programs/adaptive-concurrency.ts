import type { Clock } from "@realmwatch/shared/model/clock";

/** Until starting is tried again, ms: doubled from failure to failure. */
const firstPauseMs = 50;
const longestPauseMs = 1_000;
/** A shortage that has lasted so long, with nothing of ours running, is not about to pass, ms. */
const patienceMs = 2_000;

/**
 * How many programs may run at a time while the machine has no process, memory or descriptor to spare: as many as it
 * has let us have, none for a short while, and then one more with every program that did start.
 */
export class AdaptiveConcurrency {
  readonly #clock: Clock;
  readonly #most: number;
  readonly #resume: () => void;
  #allowed: number;
  #pauseMs = firstPauseMs;
  #pausing: (() => void) | undefined;
  #starvedAtMs: number | undefined;

  /** @param resume called when starting may be tried again */
  constructor(clock: Clock, most: number, resume: () => void) {
    this.#clock = clock;
    this.#most = most;
    this.#allowed = most;
    this.#resume = resume;
  }

  /** How many may run now. */
  get limit(): number {
    return this.#pausing === undefined ? this.#allowed : 0;
  }

  /** A program could be started. */
  recordStart(): void {
    this.#starvedAtMs = undefined;
    this.#pauseMs = firstPauseMs;
    if (this.#allowed < this.#most) this.#allowed += 1;
  }

  /**
   * A program could not be started.
   *
   * @param running how many of ours run: when they end there is room
   * @returns `give_up` where nothing runs that could make room and waiting has not helped
   */
  recordShortage(running: number): "wait" | "give_up" {
    const nowMs = this.#clock.monotonic();
    this.#starvedAtMs ??= nowMs;
    this.#allowed = Math.max(1, Math.min(this.#allowed, running));
    if (this.#pausing === undefined) {
      this.#pausing = this.#clock.after(this.#pauseMs, () => {
        this.#pausing = undefined;
        this.#resume();
      });
      this.#pauseMs = Math.min(2 * this.#pauseMs, longestPauseMs);
    }
    return running === 0 && nowMs - this.#starvedAtMs >= patienceMs ? "give_up" : "wait";
  }

  stop(): void {
    this.#pausing?.();
    this.#pausing = undefined;
  }
}
