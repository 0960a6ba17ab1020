import type { Clock } from "@realmwatch/shared/model/clock";

/** Smallest deviation that counts as a jump, ms. Smaller ones are corrections by time synchronisation. */
const jumpMs = 5000;

/** Detects that the wall clock was set, by comparing it with the monotonic clock. */
export class ClockJumpDetector {
  readonly #clock: Clock;
  /** Last noted difference between wall clock and monotonic clock, ms. */
  #offsetMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#offsetMs = clock.now() - clock.monotonic();
  }

  /** True if the clock has jumped since the last `takeJump`. */
  get hasJumped(): boolean {
    return Math.abs(this.#deviationMs) >= jumpMs;
  }

  /** Returns by how many ms the clock was set since the last call, negative when set back; 0 for no jump. */
  takeJump(): number {
    if (!this.hasJumped) return 0;
    const byMs = this.#deviationMs;
    this.#offsetMs += byMs;
    return byMs;
  }

  get #deviationMs(): number {
    return this.#clock.now() - this.#clock.monotonic() - this.#offsetMs;
  }
}
