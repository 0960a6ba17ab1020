import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import type { Duplex } from "node:stream";
import { fileURLToPath } from "node:url";
import type { Clock } from "@realmwatch/shared/model/clock";
import { decodeEnding, FrameReader, FrameWriter } from "./helper-frames.ts";
import { killMarked, markVariable } from "./marked-processes.ts";
import type { InheritedEnvironment } from "./program-environment.ts";
import { programOutcome, startFailed } from "./program-outcome.ts";
import type { ProgramOutcome, ProgramRequest } from "./program-runner.ts";

/** How long after a program's own deadline a silent helper counts as hung, ms. */
const patienceMs = 5_000;

/** This module is .ts in the source tree and .js when built; its program is the same. */
const extension = import.meta.url.slice(import.meta.url.lastIndexOf("."));
const helperFile = fileURLToPath(new URL(`./helper-main${extension}`, import.meta.url));
const nodeArgs = [
  ...(extension === ".ts" ? ["--conditions=source", "--disable-warning=ExperimentalWarning"] : []),
  "--max-old-space-size=64",
  "--max-semi-space-size=1",
];

type Run = {
  readonly id: number;
  readonly done: (outcome: ProgramOutcome) => void;
  readonly cancelTimer: () => void;
};

export type HelperOptions = {
  readonly clock: Clock;
  /** Begins the marks of its programs; unique on this machine. */
  readonly mark: string;
  readonly inherited: InheritedEnvironment;
  /** Whether it may start programs through the C library. */
  readonly native: boolean;
  /** Called with the number of processes that had left their group and were killed. */
  killedStrays(count: number): void;
};

/** One living helper process. Once it is dead everything it ran is `lost`, and nothing more may be started on it. */
export class HelperProcess {
  readonly #about: HelperOptions;
  readonly #child: ChildProcess | undefined;
  readonly #socket: Duplex | undefined;
  /** Some dozens, in no order. */
  readonly #runs: Run[] = [];
  readonly #gone: Promise<void>;
  /** One queue for all orders, so that none overtakes another; sent once in a turn of the event loop. */
  readonly #orders = new FrameWriter();
  #dead = false;
  #closing = false;
  #lastId = 0;

  constructor(about: HelperOptions) {
    this.#about = about;
    const child = start(about);
    this.#child = child.process;
    this.#gone = new Promise((resolve) => {
      const gone = (outcome: ProgramOutcome): void => {
        if (this.#dead) return;
        this.#dead = true;
        for (const { id } of [...this.#runs]) this.#finish(id, outcome);
        // One that ended by itself has taken along what it ran; one that was killed could not.
        void (this.#child?.exitCode === 0 ? Promise.resolve() : sweep([about.mark])).then(resolve);
      };
      if (this.#child === undefined) return void setImmediate(() => gone(startFailed(child.errno)));
      this.#child.on("exit", () => gone({ kind: this.#closing ? "aborted" : "lost" }));
      this.#child.on("error", (error) => {
        if (this.#child?.pid === undefined) gone(startFailed(errnoOf(error)));
      });
    });
    this.#socket = this.#child?.stdio?.[3] as Duplex | undefined;
    const endings = new FrameReader();
    this.#socket?.on("data", (chunk: Buffer) => endings.push(chunk, (frame) => this.#hear(frame)));
    // It is going, and "exit" answers its runs.
    this.#socket?.on("error", () => {});
  }

  get dead(): boolean {
    return this.#dead;
  }

  /** How many programs it runs. */
  get load(): number {
    return this.#runs.length;
  }

  /** Starts a program; `done` is called once. Returns what aborts it. */
  run(request: ProgramRequest, done: (outcome: ProgramOutcome) => void): () => void {
    const id = ++this.#lastId;
    const { argv, timeoutMs, stdin } = request;
    const { clock, inherited, mark } = this.#about;
    const cancelTimer = clock.after(timeoutMs + patienceMs, () => this.#child?.kill("SIGKILL"));
    this.#runs.push({ id, done, cancelTimer });
    const env = inherited.with(request.env);
    const strings = `${argv.join("\0")}\0${markVariable}=${mark}${id}.\0${env.text}`;
    this.#sendSoon();
    this.#orders.start({ id, timeoutMs, argc: argv.length, envc: env.count + 1 }, strings, stdin);
    return () => {
      this.#sendSoon();
      this.#orders.abort(id);
    };
  }

  /** Lets it kill its programs and end; resolves when no process is left. */
  async close(): Promise<void> {
    this.#closing = true;
    // What it has not been told must not be started any more, so nothing is sent.
    this.#socket?.destroy();
    const cancelTimer = this.#about.clock.after(patienceMs, () => this.#child?.kill("SIGKILL"));
    await this.#gone;
    cancelTimer();
  }

  #sendSoon(): void {
    if (!this.#orders.empty) return;
    setImmediate(() => {
      const frames = this.#orders.take();
      if (this.#socket?.writable) this.#socket.write(frames);
    });
  }

  #hear(frame: Buffer): void {
    const ending = decodeEnding(frame);
    if (ending.kind === "strays") this.#about.killedStrays(ending.code);
    else this.#finish(ending.id, programOutcome(ending));
  }

  #finish(id: number, outcome: ProgramOutcome): void {
    const place = this.#runs.findIndex((run) => run.id === id);
    const [run] = place < 0 ? [] : this.#runs.splice(place, 1);
    if (run === undefined) return;
    run.cancelTimer();
    run.done(outcome);
  }
}

/** A machine that has no process for a helper has none for its programs either: they are answered with its `errno`. */
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

async function sweep(marks: readonly string[]): Promise<void> {
  for (const _ of killMarked(marks)) await new Promise((resolve) => setImmediate(resolve));
}
