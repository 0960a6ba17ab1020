import { availableParallelism } from "node:os";
import { CueThread } from "./cue-thread.ts";
import { MemoryLimitReached } from "./memory-limit.ts";

/** Number of documents for which a thread is started: it takes 0.5 s to start, as one or two documents to evaluate. */
const documentsOfThread = 2;

type Round = {
  readonly documents: readonly string[];
  /** Texts by the place of their documents. */
  readonly texts: (string | undefined)[];
  /** Place of the next document; the number of documents once CUE has rejected one. */
  next: number;
};

/** The built-in CUE on a thread that stays, and on further ones while there are many documents to evaluate. */
export class CueThreads {
  /** Thread that stays. */
  readonly first: CueThread;
  readonly #memoryBytes: number;

  constructor(memoryBytes: number) {
    this.#memoryBytes = memoryBytes;
    this.first = new CueThread(memoryBytes);
  }

  /**
   * Evaluates documents to JSON texts, in their order, up to the first one that CUE rejects; others may be undefined then.
   * Rejects with `MemoryLimitReached`.
   *
   * @param onEvaluate called before each evaluation with the fraction that has been done, in [0, 1)
   */
  async evaluateAll(
    documents: readonly string[],
    onEvaluate: (fraction: number) => void,
    parallelism = availableParallelism(),
  ): Promise<readonly (string | undefined)[]> {
    const round: Round = { documents, texts: documents.map(() => undefined), next: 0 };
    const count = Math.max(1, Math.min(parallelism, Math.floor(documents.length / documentsOfThread)));
    const further = Array.from({ length: count - 1 }, () => new CueThread(this.#memoryBytes, this.first));
    const threads = [this.first, ...further];
    try {
      await Promise.all(threads.map((thread) => evaluateNext(round, { thread, threads: threads.length, onEvaluate })));
    } catch (error) {
      if (further.length === 0 || !(error instanceof MemoryLimitReached)) throw error;
      // Several threads need more memory than one, which may get by.
      await Promise.all(threads.map((thread) => thread.close()));
      return this.evaluateAll(documents, onEvaluate, 1);
    } finally {
      await Promise.all(further.map((thread) => thread.close()));
    }
    return round.texts;
  }
}

type Worker = {
  readonly thread: CueThread;
  /** Number of threads in the round. */
  readonly threads: number;
  readonly onEvaluate: (fraction: number) => void;
};

/** Evaluates one document after the other until none is left. */
async function evaluateNext(round: Round, { thread, threads, onEvaluate }: Worker): Promise<void> {
  const { documents, texts } = round;
  for (let at = round.next++; at < documents.length; at = round.next++) {
    onEvaluate(at / documents.length);
    const value = await thread.evaluate(documents[at] ?? "", threads);
    if (value.ok) texts[at] = value.value;
    else round.next = documents.length;
  }
}
