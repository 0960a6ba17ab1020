import type { Clock } from "@realmwatch/shared/model/clock";
import { idGenerator } from "@realmwatch/shared/platform/id-generator";
import { AdaptiveConcurrency } from "./adaptive-concurrency.ts";
import { HelperProcess } from "./helper-process.ts";
import { inheritedEnvironment } from "./program-environment.ts";
import type { ProgramCounts, ProgramOutcome, ProgramRequest, ProgramRunner } from "./program-runner.ts";

export type ProgramPoolOptions = {
  readonly clock: Clock;
  /** How many programs run at a time, at least 1. Default 64. */
  readonly concurrency?: number;
  /** How many helper processes share them, at least 1. Default 2. Each is started when it is first needed. */
  readonly helpers?: number;
  /** What programs inherit from; see `inheritedEnvironment`. Default: this process' own. */
  readonly environment?: NodeJS.ProcessEnv;
  /**
   * false: helpers start programs with Node.js' own means even where the C library can be called, which takes about
   * twice the time. Default true.
   */
  readonly native?: boolean;
};

export type ProgramPool = ProgramRunner & { counts(): ProgramCounts };

type Waiting = {
  readonly request: ProgramRequest;
  readonly answer: (outcome: ProgramOutcome) => void;
  aborted: boolean;
  /** Of one that a helper has: what aborts it there. */
  abort: (() => void) | undefined;
};

/**
 * A runner that keeps starting, reading and killing programs out of this process. A helper that dies is replaced. Where
 * the machine has no process, memory or descriptor to spare, fewer programs run at a time until it has; see
 * `ProgramPressure`.
 */
export function openProgramPool(options: ProgramPoolOptions): ProgramPool {
  const { clock, concurrency = 64, helpers = 2, native = true } = options;
  const inherited = inheritedEnvironment(options.environment ?? process.env);
  const mint = idGenerator(clock);
  const pool: (HelperProcess | undefined)[] = Array.from({ length: helpers });
  const endings = new Set<Promise<void>>();
  // No Set: see `Slots` for what those do to what goes through them.
  let waiting: Waiting[] = [];
  let running = 0;
  const pressure = new AdaptiveConcurrency(clock, concurrency, startNext);
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

  /** Its programs are still being looked for: `close` waits for that too. */
  function replaced(helper: HelperProcess): void {
    const ending = helper.close().finally(() => endings.delete(ending));
    endings.add(ending);
  }

  function startNext(): void {
    while (!closed && running < pressure.limit) {
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
    if (outcome.kind === "not_started" && outcome.why === "no_resources") return starved(item, outcome);
    count(outcome);
    if (outcome.kind !== "lost" && outcome.kind !== "aborted") pressure.recordStart();
    item.answer(outcome);
    startNext();
  }

  /** It comes first again where the shortage may pass; where it lasts, all who wait are told. */
  function starved(item: Waiting, outcome: ProgramOutcome): void {
    counts.noResources += 1;
    const verdict = pressure.recordShortage(running);
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
        const place = waiting.indexOf(item);
        if (place < 0) return item.abort?.();
        waiting.splice(place, 1);
        answer({ kind: "aborted" });
      }
    });
  }

  async function close(): Promise<void> {
    closed = true;
    pressure.stop();
    for (const item of waiting.splice(0)) item.answer({ kind: "aborted" });
    const ended = pool.map((helper) => helper?.close());
    await Promise.all([...ended, ...endings]);
  }

  return { run, close, counts: () => ({ ...counts, running, waiting: waiting.length }) };
}

const load = (helper: HelperProcess | undefined): number => (helper === undefined || helper.dead ? 0 : helper.load);
