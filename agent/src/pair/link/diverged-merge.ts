import type { Result } from "@realmwatch/shared/model/result";
import { errorText } from "@realmwatch/shared/platform/error-text";
import type { Log } from "@realmwatch/shared/platform/log/log";
import { type DivergedSlice, divergedHistory, noteDivergedMerged } from "../journal/diverged-copies.ts";

type DivergedMergeOptions = {
  readonly dataDir: string;
  readonly log: Pick<Log, "info" | "warn">;
  /** Sends records to the active member, which appends them. Fails with a sentence. */
  send(slice: DivergedSlice): Promise<Result<unknown, string>>;
};

/**
 * Gives the active member the history records that this member had alone. They are in copies of its journal; each is
 * given until the active member has stored it, which drops repetitions.
 */
export class DivergedMerge {
  readonly #options: DivergedMergeOptions;
  #isRunning = false;
  /** False when there is nothing to give. */
  #isWanted = true;

  constructor(options: DivergedMergeOptions) {
    this.#options = options;
  }

  /** Notes that a journal may have been copied. */
  expect(): void {
    this.#isWanted = true;
  }

  /** Gives what there is, as far as the active member takes it. Called while this member follows. */
  async run(): Promise<void> {
    if (this.#isRunning || !this.#isWanted) return;
    this.#isRunning = true;
    const { dataDir, log, send } = this.#options;
    try {
      for (let slice = divergedHistory(dataDir); slice !== undefined; slice = divergedHistory(dataDir)) {
        const sent = await send(slice);
        if (!sent.ok)
          return log.warn({ why: sent.error }, "pair: the active member does not take what this one had alone");
        const noted = await noteDivergedMerged(dataDir, slice);
        if (!noted.ok)
          return log.warn({ why: noted.error }, "pair: it cannot be noted what the active member has taken");
        const { copy, entries } = slice;
        log.info(
          { copy, records: entries.length },
          "pair: the active member has history records that this one had alone",
        );
      }
      this.#isWanted = false;
    } catch (error) {
      log.warn({ why: errorText(error) }, "pair: what this member had alone cannot be read");
    } finally {
      this.#isRunning = false;
    }
  }
}
