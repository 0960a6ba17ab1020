import { Worker } from "node:worker_threads";
import type { Clock } from "@realmwatch/shared/model/clock";
import { entryModule } from "@realmwatch/shared/platform/process/entry-module";
import { errorCodeOf } from "../network/describe-error.ts";
import { WasmOutput } from "./wasm-output.ts";
import type { FromWasmThread } from "./wasm-protocol.ts";
import type { WasmOutcome, WasmRequest } from "./wasm-runner.ts";

/** Limits for JavaScript and for garbage-collected values of modules; module memory is limited separately. */
const resourceLimits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8, stackSizeMb: 4 };

type Run = { readonly request: WasmRequest; done(outcome: WasmOutcome): void; startedMs: number; cancelTimer(): void };

/** Thread that runs one module at a time. Once `dead`, it accepts no more runs. */
export class WasmThread {
  readonly #clock: Clock;
  readonly #output = new WasmOutput();
  readonly #worker: Worker;
  #isReady = false;
  #run: Run | undefined;
  dead = false;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#worker = new Worker(entryModule("wasm-worker", import.meta.url), {
      workerData: this.#output.shared,
      env: {},
      resourceLimits,
    });
    this.#worker.on("message", (message: FromWasmThread) => this.#onMessage(message));
    this.#worker.on("error", (error) => {
      const outOfMemory = errorCodeOf(error) === "ERR_WORKER_OUT_OF_MEMORY";
      this.#end(outOfMemory ? this.#trapped("out of memory") : { kind: "lost" });
    });
    this.#worker.on("exit", () => this.#end({ kind: "lost" }));
  }

  /** Starts a module; `done` is called once. No other module may be running. */
  run(request: WasmRequest, done: (outcome: WasmOutcome) => void): void {
    this.#run = { request, done, startedMs: this.#clock.monotonic(), cancelTimer: () => {} };
    if (this.#isReady) this.#start(this.#run);
  }

  /** Terminates the thread and its run. */
  abort(): void {
    this.#end({ kind: "aborted" });
  }

  #start(run: Run): void {
    this.#output.clear();
    run.startedMs = this.#clock.monotonic();
    run.cancelTimer = this.#clock.after(run.request.timeoutMs, () =>
      this.#end({ kind: "timed_out", ...this.#output.read(), elapsedMs: this.#elapsedMs() }),
    );
    this.#worker.postMessage(run.request);
  }

  #onMessage(message: FromWasmThread): void {
    if (message.kind === "ready") {
      this.#isReady = true;
      if (this.#run !== undefined) this.#start(this.#run);
      return;
    }
    this.#finish(message.kind === "refused" ? message : { ...message, ...this.#output.read() });
  }

  #finish(outcome: WasmOutcome): void {
    const run = this.#run;
    this.#run = undefined;
    run?.cancelTimer();
    run?.done(outcome);
  }

  #end(outcome: WasmOutcome): void {
    if (this.dead) return;
    this.dead = true;
    void this.#worker.terminate();
    this.#finish(outcome);
  }

  #trapped(why: string): WasmOutcome {
    return { kind: "trapped", why, ...this.#output.read(), elapsedMs: this.#elapsedMs() };
  }

  #elapsedMs(): number {
    return this.#clock.monotonic() - (this.#run?.startedMs ?? this.#clock.monotonic());
  }
}
