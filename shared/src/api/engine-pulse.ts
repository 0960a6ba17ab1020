import type { Clock } from "../model/clock.ts";

/** Time without a sign of life after which the engine counts as hung, ms. */
const silenceMs = 10_000;

/** Tells from the engine's signs of life whether it runs. */
export class EnginePulse {
  readonly #clock: Pick<Clock, "monotonic">;
  #lastAtMs: number;
  #reported: string | undefined;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
    this.#lastAtMs = clock.monotonic();
  }

  /** Takes a sign of life with the reason why the engine counts as hung. */
  beat(livenessError: string | undefined): void {
    this.#lastAtMs = this.#clock.monotonic();
    this.#reported = livenessError;
  }

  /** Reason why the engine counts as hung; undefined while it runs. */
  readonly error = (): string | undefined =>
    this.isSilent() ? "the thread of the engine has not answered for 10 s" : this.#reported;

  /** True when the engine's thread cannot be asked. */
  readonly isSilent = (): boolean => this.#clock.monotonic() - this.#lastAtMs > silenceMs;
}
