import type { Clock } from "@realmwatch/shared/model/clock";

/** Maximum time between two calls, ms, so that a jump of the wall clock is noticed soon. */
const maxWaitMs = 1000;

/** Timer for wall-clock deadlines. Calls back at the deadline or earlier, and at least every second. */
export class WallClockTimer {
  readonly #clock: Clock;
  readonly #callback: () => void;
  #atMs = Number.POSITIVE_INFINITY;
  #cancel: () => void = () => {};

  constructor(clock: Clock, callback: () => void) {
    this.#clock = clock;
    this.#callback = callback;
  }

  /** Schedules one call for `dueAtMs`, Unix ms, or earlier. Replaces the previous one. */
  set(dueAtMs: number): void {
    this.cancel();
    const nowMs = this.#clock.now();
    const inMs = Math.max(1, Math.min(maxWaitMs, dueAtMs - nowMs));
    this.#atMs = nowMs + inMs;
    this.#cancel = this.#clock.after(inMs, this.#callback);
  }

  /** Same as `set`, unless the scheduled call is early enough. */
  hasten(dueAtMs: number): void {
    if (dueAtMs < this.#atMs) this.set(dueAtMs);
  }

  cancel(): void {
    this.#cancel();
  }
}
