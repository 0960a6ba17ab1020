import type { Clock } from "@realmwatch/shared/model/clock";
import { idGenerator } from "@realmwatch/shared/platform/id-generator";
import { AdaptiveConcurrency } from "./adaptive-concurrency.ts";
import { HelperProcess } from "./helper-process.ts";
import { inheritedEnvironment } from "./program-environment.ts";
import type { ProgramCounts, ProgramOutcome, ProgramRequest, ProgramRunner } from "./program-runner.ts";

export type ProgramPoolOptions = {
  readonly clock: Clock;
  /** Maximum number of concurrent programs, at least 1. Default 64. */
  readonly concurrency?: number;
  /** Number of helper processes, at least 1. Default 2. Each is started at first use. */
  readonly helpers?: number;
  /** Environment from which programs inherit; see `inheritedEnvironment`. Default: that of this process. */
  readonly environment?: NodeJS.ProcessEnv;
  /**
   * False makes helpers start programs with child_process even when the C library can be called; for tests and
   * comparisons. Default true.
   */
  readonly native?: boolean;
};

export type ProgramPool = ProgramRunner & { counts(): ProgramCounts };

type Waiting = {
  readonly request: ProgramRequest;
  readonly answer: (outcome: ProgramOutcome) => void;
  aborted: boolean;
  /** Aborts the run in its helper; undefined while it waits. */
  abort: (() => void) | undefined;
};

/**
 * Opens a runner that starts, reads and kills programs in helper processes. A helper that dies is replaced. During a
 * shortage of processes, memory or descriptors fewer programs run concurrently; see `AdaptiveConcurrency`.
 */
export const openProgramPool = (options: ProgramPoolOptions): ProgramPool => new HelperPool(options);

class HelperPool implements ProgramPool {
  readonly #options: ProgramPoolOptions;
  readonly #inherited: ReturnType<typeof inheritedEnvironment>;
  readonly #mint: () => string;
  readonly #helpers: (HelperProcess | undefined)[];
  readonly #endings = new Set<Promise<void>>();
  readonly #concurrency: AdaptiveConcurrency;
  readonly #counts = { started: 0, timedOut: 0, truncated: 0, noResources: 0, strays: 0 };
  // An array instead of a Set: see docs/architecture.md for the effect of a Set on garbage collection.
  #waiting: Waiting[] = [];
  #running = 0;
  #closed = false;

  constructor(options: ProgramPoolOptions) {
    const { clock, concurrency = 64, helpers = 2, environment = process.env } = options;
    this.#options = options;
    this.#inherited = inheritedEnvironment(environment);
    this.#mint = idGenerator(clock);
    this.#helpers = Array.from({ length: helpers });
    this.#concurrency = new AdaptiveConcurrency(clock, concurrency, () => this.#startNext());
  }

  counts(): ProgramCounts {
    return { ...this.#counts, running: this.#running, waiting: this.#waiting.length };
  }

  run(request: ProgramRequest, signal?: AbortSignal): Promise<ProgramOutcome> {
    if (this.#closed || signal?.aborted) return Promise.resolve({ kind: "aborted" });
    return new Promise((resolve) => {
      const abort = (): void => this.#abort(item);
      const answer = (outcome: ProgramOutcome): void => {
        signal?.removeEventListener("abort", abort);
        resolve(outcome);
      };
      const item: Waiting = { request, answer, aborted: false, abort: undefined };
      signal?.addEventListener("abort", abort, { once: true });
      this.#waiting.push(item);
      this.#startNext();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#concurrency.stop();
    for (const item of this.#waiting.splice(0)) item.answer({ kind: "aborted" });
    const ended = this.#helpers.map((helper) => helper?.close());
    await Promise.all([...ended, ...this.#endings]);
  }

  #abort(item: Waiting): void {
    item.aborted = true;
    const index = this.#waiting.indexOf(item);
    if (index < 0) return item.abort?.();
    this.#waiting.splice(index, 1);
    item.answer({ kind: "aborted" });
  }

  #leastLoaded(): HelperProcess {
    let best = 0;
    for (const [slot, helper] of this.#helpers.entries()) if (load(helper) < load(this.#helpers[best])) best = slot;
    const found = this.#helpers[best];
    if (found !== undefined && !found.dead) return found;
    if (found !== undefined) this.#closeDead(found);
    const { clock, native = true } = this.#options;
    const fresh = new HelperProcess({
      clock,
      mark: `${this.#mint()}.`,
      inherited: this.#inherited,
      native,
      killedStrays: (count) => {
        this.#counts.strays += count;
      },
    });
    this.#helpers[best] = fresh;
    return fresh;
  }

  /** Closes a dead helper, whose programs are still being killed; `close` waits for that as well. */
  #closeDead(helper: HelperProcess): void {
    const ending = helper.close().finally(() => this.#endings.delete(ending));
    this.#endings.add(ending);
  }

  #startNext(): void {
    while (!this.#closed && this.#running < this.#concurrency.limit) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#running += 1;
      next.abort = this.#leastLoaded().run(next.request, (outcome) => this.#ended(next, outcome));
    }
  }

  #ended(item: Waiting, outcome: ProgramOutcome): void {
    this.#running -= 1;
    item.abort = undefined;
    if (outcome.kind === "not_started" && outcome.why === "no_resources") return this.#retryLater(item, outcome);
    this.#count(outcome);
    if (outcome.kind !== "lost" && outcome.kind !== "aborted") this.#concurrency.recordStart();
    item.answer(outcome);
    this.#startNext();
  }

  /** Queues the program again, first, when the shortage may pass; fails all waiting programs when it lasts. */
  #retryLater(item: Waiting, outcome: ProgramOutcome): void {
    this.#counts.noResources += 1;
    const verdict = this.#concurrency.recordShortage(this.#running);
    if (this.#closed || item.aborted) return item.answer({ kind: "aborted" });
    this.#waiting.unshift(item);
    if (verdict === "wait") return;
    const refused = this.#waiting;
    this.#waiting = [];
    for (const { answer } of refused) answer(outcome);
  }

  #count(outcome: ProgramOutcome): void {
    if (outcome.kind === "timed_out") this.#counts.timedOut += 1;
    if ("elapsedMs" in outcome) {
      this.#counts.started += 1;
      if (outcome.truncated) this.#counts.truncated += 1;
    }
  }
}

const load = (helper: HelperProcess | undefined): number => (helper === undefined || helper.dead ? 0 : helper.load);
