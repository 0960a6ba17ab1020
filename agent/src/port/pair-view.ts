import { type Clock, waitAtMost } from "@realmwatch/shared/model/clock";
import type { PairStatus } from "@realmwatch/shared/model/pair-status";

/** Age from which on the state is asked again, ms. */
const freshMs = 500;
/** Age from which on the state counts as unknown: the engine does not answer, ms. */
const knownMs = 10_000;
/** Time for which a reader waits when no state is known, ms. */
const firstWaitMs = 500;

/** State of the pair for readers, who do not wait for a busy engine when a recent one is known. */
export class PairView {
  readonly #ask: () => Promise<PairStatus | undefined>;
  readonly #clock: Pick<Clock, "monotonic" | "after" | "now">;
  #known: { readonly status: PairStatus | undefined; readonly atMs: number } | undefined;
  #asking: Promise<void> | undefined;

  constructor(ask: () => Promise<PairStatus | undefined>, clock: Clock) {
    this.#ask = ask;
    this.#clock = clock;
  }

  /** Returns the state as of at most 10 s ago; undefined when it is not known, or there is no pair. */
  async read(): Promise<PairStatus | undefined> {
    if (this.#ageMs() >= freshMs) this.#asking ??= this.#refresh();
    if (this.#ageMs() >= knownMs && this.#asking !== undefined)
      await waitAtMost(this.#clock, firstWaitMs, this.#asking);
    return this.#ageMs() < knownMs ? this.#known?.status : undefined;
  }

  #ageMs(): number {
    return this.#clock.monotonic() - (this.#known?.atMs ?? Number.NEGATIVE_INFINITY);
  }

  async #refresh(): Promise<void> {
    try {
      const atMs = this.#clock.monotonic();
      this.#known = { status: await this.#ask(), atMs };
    } catch {
      // The engine's thread is being replaced: the next reader asks again.
    } finally {
      this.#asking = undefined;
    }
  }
}
