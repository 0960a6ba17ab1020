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
export function openProgramPool(options: ProgramPoolOptions): ProgramPool {
  const { clock, concurrency = 64, helpers = 2, native = true } = options;
  const inherited = inheritedEnvironment(options.environment ?? process.env);
  const mint = idGenerator(clock);
  const pool: (HelperProcess | undefined)[] = Array.from({ length: helpers });
  const endings = new Set<Promise<void>>();
  // An array instead of a Set: see `Slots` for the effect of a Set on garbage collection.
  let waiting: Waiting[] = [];
  let running = 0;
  const concurrencyLimit = new AdaptiveConcurrency(clock, concurrency, startNext);
  const counts = { started: 0, timedOut: 0, truncated: 0, noResources: 0, strays: 0 };
  let closed = false;

  function leastLoaded(): HelperProcess {
    let best = 0;
    for (const [slot, helper] of pool.entries()) if (load(helper) < load(pool[best])) best = slot;
    const found = pool[best];
    if (found !== undefined && !found.dead) return found;
    if (found !== undefined) replaced(found);
    const killedStrays = (count: number): void => {
      counts.strays += count;
    };
    const fresh = new HelperProcess({ clock, mark: `${mint()}.`, inherited, native, killedStrays });
    pool[best] = fresh;
    return fresh;
  }

  /** Closes a dead helper, whose programs are still being killed; `close` waits for that as well. */
  function replaced(helper: HelperProcess): void {
    const ending = helper.close().finally(() => endings.delete(ending));
    endings.add(ending);
  }

  function startNext(): void {
    while (!closed && running < concurrencyLimit.limit) {
      const next = waiting.shift();
      if (next === undefined) return;
      running += 1;
      const abort = leastLoaded().run(next.request, (outcome) => ended(next, outcome));
      next.abort = abort;
    }
  }

  function ended(item: Waiting, outcome: ProgramOutcome): void {
    running -= 1;
    item.abort = undefined;
    if (outcome.kind === "not_started" && outcome.why === "no_resources") return retryLater(item, outcome);
    count(outcome);
    if (outcome.kind !== "lost" && outcome.kind !== "aborted") concurrencyLimit.recordStart();
    item.answer(outcome);
    startNext();
  }

  /** Queues the program again, first, when the shortage may pass; fails all waiting programs when it lasts. */
  function retryLater(item: Waiting, outcome: ProgramOutcome): void {
    counts.noResources += 1;
    const verdict = concurrencyLimit.recordShortage(running);
    if (closed || item.aborted) return item.answer({ kind: "aborted" });
    waiting.unshift(item);
    if (verdict === "wait") return;
    const refused = waiting;
    waiting = [];
    for (const { answer } of refused) answer(outcome);
  }

  function count(outcome: ProgramOutcome): void {
    if (outcome.kind === "timed_out") counts.timedOut += 1;
    if ("elapsedMs" in outcome) {
      counts.started += 1;
      if (outcome.truncated) counts.truncated += 1;
    }
  }

  function run(request: ProgramRequest, signal?: AbortSignal): Promise<ProgramOutcome> {
    if (closed || signal?.aborted) return Promise.resolve({ kind: "aborted" });
    return new Promise((resolve) => {
      const item: Waiting = { request, answer, aborted: false, abort: undefined };
      signal?.addEventListener("abort", abort, { once: true });
      waiting.push(item);
      startNext();

      function answer(outcome: ProgramOutcome): void {
        signal?.removeEventListener("abort", abort);
        resolve(outcome);
      }
      function abort(): void {
        item.aborted = true;
        const index = waiting.indexOf(item);
        if (index < 0) return item.abort?.();
        waiting.splice(index, 1);
        answer({ kind: "aborted" });
      }
    });
  }

  async function close(): Promise<void> {
    closed = true;
    concurrencyLimit.stop();
    for (const item of waiting.splice(0)) item.answer({ kind: "aborted" });
    const ended = pool.map((helper) => helper?.close());
    await Promise.all([...ended, ...endings]);
  }

  return { run, close, counts: () => ({ ...counts, running, waiting: waiting.length }) };
}

const load = (helper: HelperProcess | undefined): number => (helper === undefined || helper.dead ? 0 : helper.load);
