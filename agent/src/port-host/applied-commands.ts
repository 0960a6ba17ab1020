import type { Clock } from "@realmwatch/shared/model/clock";

/** Longest time for which a command's answer waits for its effects, ms: a reload may hold up the engine. */
const maxWaitMs = 1_000;

/** Tells when accepted commands have been applied. */
export class AppliedCommands {
  readonly #clock: Clock;
  readonly #waiting = new Map<number, () => void>();
  #appliedSeq = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes that the command `seq`, and all before it, are applied. */
  applied(seq: number): void {
    this.#appliedSeq = Math.max(this.#appliedSeq, seq);
    this.#waiting.get(seq)?.();
    this.#waiting.delete(seq);
  }

  /** Resolves when the command `seq` is applied, at the latest after a second. */
  async whenApplied(seq: number): Promise<void> {
    if (seq <= this.#appliedSeq) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.set(seq, resolve);
    const cancel = this.#clock.after(maxWaitMs, resolve);
    await promise;
    cancel();
    this.#waiting.delete(seq);
  }
}
