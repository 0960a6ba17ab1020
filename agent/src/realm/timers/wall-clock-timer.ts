import type { Clock } from "@realmwatch/shared/model/clock";

/** The wall clock is looked at this often at least, so that a jump of it is noticed. ms */
const wallPollMs = 1000;

/** Wakes somebody when an instant of the wall clock comes, and once in a while before it. */
export class WallClockTimer {
  readonly #clock: Clock;
  readonly #wake: () => void;
  #atMs = Number.POSITIVE_INFINITY;
  #cancel: () => void = () => {};

  constructor(clock: Clock, wake: () => void) {
    this.#clock = clock;
    this.#wake = wake;
  }

  /** Rings at `dueAtMs`, Unix ms, or earlier; once. What was set before is forgotten. */
  set(dueAtMs: number): void {
    this.cancel();
    const nowMs = this.#clock.now();
    const inMs = Math.max(1, Math.min(wallPollMs, dueAtMs - nowMs));
    this.#atMs = nowMs + inMs;
    this.#cancel = this.#clock.after(inMs, this.#wake);
  }

  /** As `set`, where it would ring too late. */
  hasten(dueAtMs: number): void {
    if (dueAtMs < this.#atMs) this.set(dueAtMs);
  }

  cancel(): void {
    this.#cancel();
  }
}
