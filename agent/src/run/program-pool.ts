import { openMint } from "@realmwatch/shared/tools/mint-id";
import type { Clock } from "@realmwatch/shared/words/clock";
import { HelperProcess } from "./helper-process.ts";
import type { ProgramOutcome, ProgramRequest, ProgramRunner } from "./program.ts";
import { programEnvironment } from "./program-environment.ts";

export type ProgramPoolOptions = {
  readonly clock: Clock;
  /** How many programs run at a time, at least 1. Default 64. */
  readonly concurrency?: number;
  /** How many helper processes share them, at least 1. Default 2. Each is started when it is first needed. */
  readonly helpers?: number;
  /** What programs inherit from; see `programEnvironment`. Default: this process' own. */
  readonly environment?: NodeJS.ProcessEnv;
};

type Waiting = { readonly request: ProgramRequest; readonly answer: (outcome: ProgramOutcome) => void };

/** A runner that keeps starting, reading and killing programs out of this process. A helper that dies is replaced. */
export function openProgramPool(options: ProgramPoolOptions): ProgramRunner {
  const { clock, concurrency = 64, helpers = 2 } = options;
  const env = programEnvironment(options.environment ?? process.env);
  const mint = openMint(clock);
  const pool: (HelperProcess | undefined)[] = Array.from({ length: helpers });
  const endings = new Set<Promise<void>>();
  const waiting = new Set<Waiting>();
  const aborts = new Map<Waiting, () => void>();
  let closed = false;

  function leastLoaded(): HelperProcess {
    let best = 0;
    for (const [slot, helper] of pool.entries()) if (load(helper) < load(pool[best])) best = slot;
    const found = pool[best];
    if (found !== undefined && !found.dead) return found;
    if (found !== undefined) replaced(found);
    const fresh = new HelperProcess(clock, `${mint()}.`, env);
    pool[best] = fresh;
    return fresh;
  }

  /** Its programs are still being looked for: `close` waits for that too. */
  function replaced(helper: HelperProcess): void {
    const ending = helper.close().finally(() => endings.delete(ending));
    endings.add(ending);
  }

  function startNext(): void {
    for (const next of waiting) {
      if (aborts.size >= concurrency) return;
      waiting.delete(next);
      const abort = leastLoaded().run(next.request, (outcome) => {
        aborts.delete(next);
        next.answer(outcome);
        startNext();
      });
      aborts.set(next, abort);
    }
  }

  function run(request: ProgramRequest, signal?: AbortSignal): Promise<ProgramOutcome> {
    if (closed || signal?.aborted) return Promise.resolve({ kind: "aborted" });
    return new Promise((resolve) => {
      const item: Waiting = { request, answer };
      signal?.addEventListener("abort", abort, { once: true });
      waiting.add(item);
      startNext();

      function answer(outcome: ProgramOutcome): void {
        signal?.removeEventListener("abort", abort);
        resolve(outcome);
      }
      function abort(): void {
        if (waiting.delete(item)) answer({ kind: "aborted" });
        else aborts.get(item)?.();
      }
    });
  }

  async function close(): Promise<void> {
    closed = true;
    for (const item of waiting) item.answer({ kind: "aborted" });
    waiting.clear();
    const ended = pool.map((helper) => helper?.close());
    await Promise.all([...ended, ...endings]);
  }

  return { run, close };
}

const load = (helper: HelperProcess | undefined): number => (helper === undefined || helper.dead ? 0 : helper.load);
