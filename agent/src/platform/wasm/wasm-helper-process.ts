import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Clock } from "@realmwatch/shared/model/clock";
import { entryModule } from "@realmwatch/shared/platform/process/entry-module";
import type { FromWasmHelper, ToWasmHelper } from "./wasm-protocol.ts";
import type { WasmOutcome, WasmRequest } from "./wasm-runner.ts";

/** Time after a run's timeout at which a missing result means that the helper hangs, ms; includes its start. */
const hungAfterMs = 15_000;
/** Time that the helper has to exit before it is killed, ms. */
const exitWithinMs = 2_000;

const helperFile = fileURLToPath(entryModule("wasm-helper-main", import.meta.url));
const execArgv = ["--max-old-space-size=128", "--expose-gc"];

type Run = { readonly done: (outcome: WasmOutcome) => void; readonly cancelTimer: () => void };

/** One helper process. When it exits, its runs become `lost`, and no further run may be started on it. */
export class WasmHelperProcess {
  readonly #clock: Clock;
  readonly #child: ChildProcess;
  readonly #runs = new Map<number, Run>();
  readonly #gone: Promise<void>;
  #lastId = 0;
  dead = false;

  constructor(clock: Clock) {
    this.#clock = clock;
    // No environment and no open files: a module that escapes its sandbox finds neither.
    const stdio = ["ignore", "ignore", "ignore", "ipc"] as const;
    this.#child = fork(helperFile, { execArgv, env: {}, serialization: "advanced", stdio: [...stdio] });
    this.#child.on("message", ({ id, outcome }: FromWasmHelper) => this.#finish(id, outcome));
    this.#gone = new Promise((resolve) => {
      const gone = (): void => {
        this.dead = true;
        for (const id of [...this.#runs.keys()]) this.#finish(id, { kind: "lost" });
        resolve();
      };
      this.#child.on("exit", gone);
      this.#child.on("error", () => {
        if (this.#child.pid === undefined) gone();
      });
    });
  }

  /** Starts a module; `done` is called once. Returns a function that aborts the run. */
  run(request: WasmRequest, done: (outcome: WasmOutcome) => void): () => void {
    const id = ++this.#lastId;
    const cancelTimer = this.#clock.after(request.timeoutMs + hungAfterMs, () => this.#child.kill("SIGKILL"));
    this.#runs.set(id, { done, cancelTimer });
    this.#send({ kind: "start", id, request });
    return () => this.#send({ kind: "abort", id });
  }

  /** Ends the process and its runs; resolves when it has exited. */
  async close(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    const cancelTimer = this.#clock.after(exitWithinMs, () => this.#child.kill("SIGKILL"));
    await this.#gone;
    cancelTimer();
  }

  #send(message: ToWasmHelper): void {
    // A message cannot be sent when the process is exiting; the "exit" event then ends its runs.
    if (this.#child.connected) this.#child.send(message, () => {});
  }

  #finish(id: number, outcome: WasmOutcome): void {
    const run = this.#runs.get(id);
    if (run === undefined) return;
    this.#runs.delete(id);
    run.cancelTimer();
    run.done(outcome);
  }
}
