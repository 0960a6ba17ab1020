import type { Clock } from "@realmwatch/shared/model/clock";
import { WasmHelperProcess } from "./wasm-helper-process.ts";
import type { WasmOutcome, WasmRequest, WasmRunner } from "./wasm-runner.ts";

type WasmPoolOptions = {
  readonly clock: Clock;
  /** Maximum number of concurrent runs, at least 1. Default 4: modules only compute, so more than the cores gains nothing. */
  readonly concurrency?: number;
};

type Waiting = {
  readonly request: WasmRequest;
  readonly answer: (outcome: WasmOutcome) => void;
  /** Aborts the run in the helper; undefined while it waits. */
  abort: (() => void) | undefined;
};

/** Opens a runner with one helper process, which is started at first use and replaced when it dies. */
export function openWasmPool({ clock, concurrency = 4 }: WasmPoolOptions): WasmRunner {
  // An array instead of a Set: see `Slots` for the effect of a Set on garbage collection.
  const waiting: Waiting[] = [];
  let running = 0;
  let helper: WasmHelperProcess | undefined;
  let closed = false;

  function startNext(): void {
    while (running < concurrency) {
      const next = waiting.shift();
      if (next === undefined) return;
      running += 1;
      if (helper === undefined || helper.dead) helper = new WasmHelperProcess(clock);
      const abort = helper.run(next.request, (outcome) => {
        running -= 1;
        next.abort = undefined;
        next.answer(closed ? { kind: "aborted" } : outcome);
        if (!closed) startNext();
      });
      next.abort = abort;
    }
  }

  return {
    run(request, signal) {
      if (closed || signal?.aborted) return Promise.resolve({ kind: "aborted" });
      return new Promise((resolve) => {
        const item: Waiting = { request, answer, abort: undefined };
        signal?.addEventListener("abort", abort, { once: true });
        waiting.push(item);
        startNext();

        function answer(outcome: WasmOutcome): void {
          signal?.removeEventListener("abort", abort);
          resolve(outcome);
        }
        function abort(): void {
          const index = waiting.indexOf(item);
          if (index < 0) return item.abort?.();
          waiting.splice(index, 1);
          answer({ kind: "aborted" });
        }
      });
    },
    async close() {
      closed = true;
      for (const item of waiting.splice(0)) item.answer({ kind: "aborted" });
      await helper?.close();
    },
  };
}
