import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import type { Duplex } from "node:stream";
import { fileURLToPath } from "node:url";
import type { Clock } from "@realmwatch/shared/model/clock";
import { entryModule } from "@realmwatch/shared/platform/process/entry-module";
import { decodeEnding, FrameReader, FrameWriter } from "./helper-frames.ts";
import { killMarkedInTurns, markVariable } from "./marked-processes.ts";
import type { InheritedEnvironment } from "./program-environment.ts";
import { programOutcome, startFailed } from "./program-outcome.ts";
import type { ProgramOutcome, ProgramRequest } from "./program-runner.ts";

/** Time after a program's timeout at which a missing ending means that the helper hangs, ms. */
const hungAfterMs = 5_000;

const helperFile = fileURLToPath(entryModule("helper-main", import.meta.url));
const nodeArgs = ["--disable-warning=ExperimentalWarning", "--max-old-space-size=64", "--max-semi-space-size=1"];

type Run = {
  readonly id: number;
  readonly done: (outcome: ProgramOutcome) => void;
  readonly cancelTimer: () => void;
};

type HelperOptions = {
  readonly clock: Clock;
  /** Beginning of the marks of its programs; unique on this machine. */
  readonly mark: string;
  readonly inherited: InheritedEnvironment;
  /** True when it may start programs through the C library. */
  readonly native: boolean;
  /** Called with the number of killed processes that had left their group. */
  killedStrays(count: number): void;
};

/** One helper process. When it exits, its runs become `lost`, and no further program may be started on it. */
export class HelperProcess {
  readonly #options: HelperOptions;
  readonly #child: ChildProcess | undefined;
  readonly #socket: Duplex | undefined;
  /** A few dozen running programs, unordered. */
  readonly #runs: Run[] = [];
  readonly #exited: Promise<void>;
  /** Queue of all orders, which keeps their order; sent once per turn of the event loop. */
  readonly #orders = new FrameWriter();
  #dead = false;
  #closing = false;
  #lastId = 0;

  constructor(options: HelperOptions) {
    this.#options = options;
    const child = start(options);
    this.#child = child.process;
    this.#exited = new Promise((resolve) => {
      const onExit = (outcome: ProgramOutcome): void => {
        if (this.#dead) return;
        this.#dead = true;
        for (const { id } of [...this.#runs]) this.#finish(id, outcome);
        // A helper that exits by itself has killed its programs; one that was killed has not.
        void (this.#child?.exitCode === 0 ? Promise.resolve() : killMarkedInTurns([options.mark])).then(resolve);
      };
      if (this.#child === undefined) return void setImmediate(() => onExit(startFailed(child.errno)));
      this.#child.on("exit", () => onExit({ kind: this.#closing ? "aborted" : "lost" }));
      this.#child.on("error", (error) => {
        if (this.#child?.pid === undefined) onExit(startFailed(errnoOf(error)));
      });
    });
    this.#socket = this.#child?.stdio?.[3] as Duplex | undefined;
    const endings = new FrameReader();
    this.#socket?.on("data", (chunk: Buffer) => endings.push(chunk, (frame) => this.#onEnding(frame)));
    // The process is exiting; the "exit" event ends its runs.
    this.#socket?.on("error", () => {});
  }

  get dead(): boolean {
    return this.#dead;
  }

  /** Number of running programs. */
  get load(): number {
    return this.#runs.length;
  }

  /** Starts a program; `done` is called once. Returns a function that aborts the run. */
  run(request: ProgramRequest, done: (outcome: ProgramOutcome) => void): () => void {
    const id = ++this.#lastId;
    const { argv, timeoutMs } = request;
    const { clock, inherited, mark } = this.#options;
    const cancelTimer = clock.after(timeoutMs + hungAfterMs, () => this.#child?.kill("SIGKILL"));
    this.#runs.push({ id, done, cancelTimer });
    const env = inherited.with(request.env);
    const strings = `${argv.join("\0")}\0${markVariable}=${mark}${id}.\0${env.text}`;
    this.#sendSoon();
    this.#orders.start({ id, timeoutMs, argc: argv.length, envc: env.count + 1 }, strings);
    return () => {
      this.#sendSoon();
      this.#orders.abort(id);
    };
  }

  /** Ends the helper and its programs; resolves when no process is left. */
  async close(): Promise<void> {
    this.#closing = true;
    // Queued orders are dropped, because their programs must not be started any more.
    this.#socket?.destroy();
    const cancelTimer = this.#options.clock.after(hungAfterMs, () => this.#child?.kill("SIGKILL"));
    await this.#exited;
    cancelTimer();
  }

  #sendSoon(): void {
    if (!this.#orders.empty) return;
    setImmediate(() => {
      const frames = this.#orders.take();
      if (this.#socket?.writable) this.#socket.write(frames);
    });
  }

  #onEnding(frame: Buffer): void {
    const ending = decodeEnding(frame);
    if (ending.kind === "strays") this.#options.killedStrays(ending.code);
    else this.#finish(ending.id, programOutcome(ending));
  }

  #finish(id: number, outcome: ProgramOutcome): void {
    const index = this.#runs.findIndex((run) => run.id === id);
    const [run] = index < 0 ? [] : this.#runs.splice(index, 1);
    if (run === undefined) return;
    run.cancelTimer();
    run.done(outcome);
  }
}

/** Starts the process. When the machine has no process for it, the programs' outcomes have the same `errno`. */
function start({ mark, inherited, native }: HelperOptions): { process: ChildProcess | undefined; errno: number } {
  const args = [...nodeArgs, helperFile, mark, ...(native ? [] : ["node"])];
  try {
    const stdio = ["ignore", "inherit", "inherit", "pipe"] as const;
    return { process: spawn(process.execPath, args, { env: { ...inherited.variables }, stdio: [...stdio] }), errno: 0 };
  } catch (error) {
    return { process: undefined, errno: errnoOf(error) };
  }
}

function errnoOf(error: unknown): number {
  return error instanceof Error && "errno" in error ? Math.abs(Number(error.errno)) : constants.errno.EAGAIN;
}
