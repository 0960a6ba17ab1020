import type { Clock } from "@realmwatch/shared/model/clock";
import { WasmHelperProcess } from "./wasm-helper-process.ts";
import type { WasmOutcome, WasmRequest, WasmRunner } from "./wasm-runner.ts";

export type WasmPoolOptions = {
  readonly clock: Clock;
  /** How many modules run at a time, at least 1. They do nothing but compute, so more than cores is for the hung. Default 4. */
  readonly concurrency?: number;
};

type Waiting = {
  readonly request: WasmRequest;
  readonly answer: (outcome: WasmOutcome) => void;
  /** Of one that the helper has: what aborts it there. */
  abort: (() => void) | undefined;
};

/** A runner whose modules share one helper process, started when it is first needed and replaced when it dies. */
export function openWasmPool({ clock, concurrency = 4 }: WasmPoolOptions): WasmRunner {
  // No Set: see `Slots` for what those do to what goes through them.
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
          const place = waiting.indexOf(item);
          if (place < 0) return item.abort?.();
          waiting.splice(place, 1);
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
