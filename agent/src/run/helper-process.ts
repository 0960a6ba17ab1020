import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Clock } from "@realmwatch/shared/words/clock";
import { openBatch } from "./batch.ts";
import type { FromHelper, Order, ToHelper } from "./helper-protocol.ts";
import { killMarked } from "./marked-processes.ts";
import type { ProgramOutcome, ProgramRequest } from "./program.ts";

/** How long after a program's own deadline a silent helper counts as hung, ms. */
const patienceMs = 5_000;

/** This module is .ts in the source tree and .js when built; its program is the same. */
const extension = import.meta.url.slice(import.meta.url.lastIndexOf("."));
const helperFile = fileURLToPath(new URL(`./program-helper${extension}`, import.meta.url));
const execArgv = [
  ...(extension === ".ts" ? ["--conditions=source", "--disable-warning=ExperimentalWarning"] : []),
  "--max-old-space-size=64",
  "--max-semi-space-size=1",
];

type Run = { readonly done: (outcome: ProgramOutcome) => void; readonly cancelTimer: () => void };

/** One living helper process. Once it is dead everything it ran is `lost`, and nothing more may be started on it. */
export class HelperProcess {
  readonly #clock: Clock;
  readonly #child: ReturnType<typeof fork>;
  readonly #runs = new Map<number, Run>();
  readonly #gone: Promise<void>;
  /** One batch for all orders, so that none overtakes another. */
  readonly #order = openBatch<Order>((orders) => this.#send({ orders }));
  #dead = false;
  #lastId = 0;

  /** @param mark begins the marks of its programs; unique on this machine */
  constructor(clock: Clock, mark: string, env: Readonly<Record<string, string>>) {
    this.#clock = clock;
    this.#child = fork(helperFile, [mark], {
      execArgv,
      env: { ...env },
      serialization: "advanced",
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    this.#child.on("message", (message: FromHelper) => {
      for (const { id, outcome } of message.done) this.#finish(id, outcome);
    });
    this.#gone = new Promise((resolve) => {
      const gone = (): void => {
        const first = !this.#dead;
        this.#dead = true;
        for (const id of [...this.#runs.keys()]) this.#finish(id, { kind: "lost" });
        // A helper that was killed could not take its programs along.
        if (first) killMarked([mark]).then(() => resolve(), resolve);
      };
      this.#child.on("exit", gone);
      this.#child.on("error", () => {
        if (this.#child.pid === undefined) gone();
      });
    });
  }

  get dead(): boolean {
    return this.#dead;
  }

  /** How many programs it runs. */
  get load(): number {
    return this.#runs.size;
  }

  /** Starts a program; `done` is called once. Returns what aborts it. */
  run(request: ProgramRequest, done: (outcome: ProgramOutcome) => void): () => void {
    const id = ++this.#lastId;
    const cancelTimer = this.#clock.after(request.timeoutMs + patienceMs, () => this.#child.kill("SIGKILL"));
    this.#runs.set(id, { done, cancelTimer });
    this.#order({ kind: "start", id, request });
    return () => this.#order({ kind: "abort", id });
  }

  /** Lets it kill its programs and end; resolves when no process is left. */
  async close(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    const cancelTimer = this.#clock.after(patienceMs, () => this.#child.kill("SIGKILL"));
    await this.#gone;
    cancelTimer();
  }

  #send(message: ToHelper): void {
    // Where it cannot be sent the process is going, and "exit" answers its runs.
    if (this.#child.connected) this.#child.send(message, () => {});
  }

  #finish(id: number, outcome: ProgramOutcome): void {
    const run = this.#runs.get(id);
    if (run === undefined) return;
    this.#runs.delete(id);
    run.cancelTimer();
    run.done(outcome);
  }
}
