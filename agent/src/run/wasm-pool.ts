import type { Clock } from "@realmwatch/shared/words/clock";
import { WasmHelperProcess } from "./wasm-helper-process.ts";
import type { WasmOutcome, WasmRequest, WasmRunner } from "./wasm-runner.ts";

export type WasmPoolOptions = {
  readonly clock: Clock;
  /** How many modules run at a time, at least 1. They do nothing but compute, so more than cores is for the hung. Default 4. */
  readonly concurrency?: number;
};

type Waiting = { readonly request: WasmRequest; readonly answer: (outcome: WasmOutcome) => void };

/** A runner whose modules share one helper process, started when it is first needed and replaced when it dies. */
export function openWasmPool({ clock, concurrency = 4 }: WasmPoolOptions): WasmRunner {
  const waiting = new Set<Waiting>();
  const aborts = new Map<Waiting, () => void>();
  let helper: WasmHelperProcess | undefined;
  let closed = false;

  function startNext(): void {
    for (const next of waiting) {
      if (aborts.size >= concurrency) return;
      waiting.delete(next);
      if (helper === undefined || helper.dead) helper = new WasmHelperProcess(clock);
      const abort = helper.run(next.request, (outcome) => {
        aborts.delete(next);
        next.answer(closed ? { kind: "aborted" } : outcome);
        if (!closed) startNext();
      });
      aborts.set(next, abort);
    }
  }

  return {
    run(request, signal) {
      if (closed || signal?.aborted) return Promise.resolve({ kind: "aborted" });
      return new Promise((resolve) => {
        const item: Waiting = { request, answer };
        signal?.addEventListener("abort", abort, { once: true });
        waiting.add(item);
        startNext();

        function answer(outcome: WasmOutcome): void {
          signal?.removeEventListener("abort", abort);
          resolve(outcome);
        }
        function abort(): void {
          if (waiting.delete(item)) answer({ kind: "aborted" });
          else aborts.get(item)?.();
        }
      });
    },
    async close() {
      closed = true;
      for (const item of waiting) item.answer({ kind: "aborted" });
      waiting.clear();
      await helper?.close();
    },
  };
}
