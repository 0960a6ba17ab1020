import type { Clock } from "@realmwatch/shared/model/clock";

/** Longest duration of a batch in a pair, ms; an upload that takes longer goes on with the next batch. */
const longestBatchMs = 120_000;

type SinkRightOptions = {
  readonly clock: Pick<Clock, "monotonic">;
  /** Longest time that one action may take, ms. */
  readonly longestActionMs: number;
  /** Asks the agent's thread for the remaining right; `answered` is called for each question, in their order. */
  readonly ask: () => void;
};

/**
 * Right to act of a pair's member, as the thread of the sinks knows it. [PA45] The agent's thread is asked before each
 * batch, because a right may end early. An answer counts from the question on the clock of this thread, so that it is
 * never too long however late it comes.
 */
export class SinkRight {
  /** Timeout of a batch, ms. */
  readonly batchTimeoutMs: number;
  readonly #options: SinkRightOptions;
  readonly #questions: ((remainingMs: number) => void)[] = [];
  #gained = Promise.withResolvers<void>();

  constructor(options: SinkRightOptions) {
    this.#options = options;
    this.batchTimeoutMs = Math.min(longestBatchMs, options.longestActionMs);
  }

  /** Takes the answer to the oldest question. */
  answered(remainingMs: number): void {
    this.#questions.shift()?.(remainingMs);
  }

  /** Announces that the right was gained or prolonged. */
  gained(): void {
    this.#gained.resolve();
    this.#gained = Promise.withResolvers<void>();
  }

  /** Resolves with true when a batch that begins now ends before the right does. */
  async fits(): Promise<boolean> {
    const { clock, ask } = this.#options;
    const askedMs = clock.monotonic();
    const remainingMs = await new Promise<number>((resolve) => {
      this.#questions.push(resolve);
      ask();
    });
    return askedMs + remainingMs - clock.monotonic() >= this.batchTimeoutMs;
  }

  /** Waits until a batch fits into the right. Resolves with false when `signal` aborts before. */
  async whenFits(signal: AbortSignal): Promise<boolean> {
    const aborted = Promise.withResolvers<void>();
    const abort = (): void => aborted.resolve();
    signal.addEventListener("abort", abort, { once: true });
    try {
      while (!signal.aborted) {
        // Taken before the question: a right that is gained meanwhile must not be missed.
        const gained = this.#gained.promise;
        if (await this.fits()) return !signal.aborted;
        await Promise.race([gained, aborted.promise]);
      }
      return false;
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }
}
