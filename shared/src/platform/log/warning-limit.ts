import type { Clock } from "../../model/clock.ts";

/** Time after which a warning may be logged again, ms. */
const againAfterMs = 60_000;
const mostRemembered = 1_000;

/** Rate limit of warnings: each is logged at most once a minute, so that floods do not fill the log. */
export class WarningLimit {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #loggedAtMs = new Map<string, number>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** Returns true, and notes it, unless the same warning was logged within the last minute. */
  isDue(warning: string): boolean {
    const nowMs = this.#clock.monotonic();
    const last = this.#loggedAtMs.get(warning);
    if (last !== undefined && nowMs - last < againAfterMs) return false;
    if (this.#loggedAtMs.size >= mostRemembered) this.#loggedAtMs.clear();
    this.#loggedAtMs.set(warning, nowMs);
    return true;
  }

  clear(): void {
    this.#loggedAtMs.clear();
  }
}
