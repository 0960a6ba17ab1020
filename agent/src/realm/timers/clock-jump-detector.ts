import type { Clock } from "@realmwatch/shared/model/clock";

/** What the wall clock may gain or lose before it counts as a jump; below it, clocks are only being set right. ms */
const jumpMs = 5000;

/** Notices that the wall clock was set: it no longer goes along with the clock that only measures spans. */
export class ClockJumpDetector {
  readonly #clock: Clock;
  /** The wall clock less the monotonic one, as last seen. */
  #aheadMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#aheadMs = clock.now() - clock.monotonic();
  }

  /** Whether it is elsewhere than when that was last taken note of. */
  get hasJumped(): boolean {
    return Math.abs(this.#offMs) >= jumpMs;
  }

  /** Takes note of a jump. Answers by how much the clock was set, ms, back where negative; 0 where there was none. */
  takeJump(): number {
    if (!this.hasJumped) return 0;
    const byMs = this.#offMs;
    this.#aheadMs += byMs;
    return byMs;
  }

  get #offMs(): number {
    return this.#clock.now() - this.#clock.monotonic() - this.#aheadMs;
  }
}
