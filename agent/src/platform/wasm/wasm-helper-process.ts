import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { FromWasmHelper, ToWasmHelper } from "./wasm-protocol.ts";
import type { WasmOutcome, WasmRequest } from "./wasm-runner.ts";

/** How long after a run's own deadline a silent helper counts as hung, ms; starting it is part of that. */
const patienceMs = 15_000;
/** How long it may take to end, ms. */
const endWithinMs = 2_000;

const extension = import.meta.url.slice(import.meta.url.lastIndexOf("."));
const helperFile = fileURLToPath(new URL(`./wasm-helper-main${extension}`, import.meta.url));
const execArgv = [...(extension === ".ts" ? ["--conditions=source"] : []), "--max-old-space-size=128", "--expose-gc"];

type Run = { readonly done: (outcome: WasmOutcome) => void; readonly cancelTimer: () => void };

/** One living helper process. Once it is dead everything it ran is `lost`, and nothing more may be started on it. */
export class WasmHelperProcess {
  readonly #clock: Clock;
  readonly #child: ChildProcess;
  readonly #runs = new Map<number, Run>();
  readonly #gone: Promise<void>;
  #lastId = 0;
  dead = false;

  constructor(clock: Clock) {
    this.#clock = clock;
    // No variables and no open files: what a module might reach through a fault is not there.
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

  /** Starts a module; `done` is called once. Returns what aborts it. */
  run(request: WasmRequest, done: (outcome: WasmOutcome) => void): () => void {
    const id = ++this.#lastId;
    const cancelTimer = this.#clock.after(request.timeoutMs + patienceMs, () => this.#child.kill("SIGKILL"));
    this.#runs.set(id, { done, cancelTimer });
    this.#send({ kind: "start", id, request });
    return () => this.#send({ kind: "abort", id });
  }

  /** Lets it end with all that it runs; resolves when it has. */
  async close(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    const cancelTimer = this.#clock.after(endWithinMs, () => this.#child.kill("SIGKILL"));
    await this.#gone;
    cancelTimer();
  }

  #send(message: ToWasmHelper): void {
    // Where it cannot be sent the process is going, and "exit" answers its runs.
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
