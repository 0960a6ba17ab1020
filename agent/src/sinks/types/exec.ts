import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type Clock, waitAtMost } from "@realmwatch/shared/model/clock";
import { killGroup } from "@realmwatch/shared/platform/cue/engine/process-group";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { RandomSource } from "@realmwatch/shared/platform/random";
import { deliveryBackoffMs } from "../../platform/outbound/delivery-backoff.ts";
import { delivered, retry } from "../../platform/outbound/delivery-result.ts";
import { killMarkedInTurns, markVariable } from "../../platform/programs/marked-processes.ts";
import { formatEntryLines } from "../encode/entry-lines.ts";
import type { SinkSendResult, SinkWriter, SinkWriterType } from "../sink-type.ts";
import type { SinkRight } from "../thread/sink-right.ts";

/** Bytes that a pipe may hold which its reader has not taken: Linux' default capacity. */
const pipeBytes = 65_536;
/** Running time after which the end of a program does not delay its next start, ms. */
const stableAfterMs = 10_000;
/** Time for the program to end by itself when the sink closes, ms; it and its descendants are killed after that. */
const exitWithinMs = 2_000;

type ProgramOptions = {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Beginning of the marks of its programs. */
  readonly mark: string;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly log: Pick<Log, "info" | "warn">;
  readonly right: SinkRight | undefined;
};

/** Writes lines of JSON to the standard input of one program, which runs as long as the sink. */
export const execSinkType: SinkWriterType<"exec"> = {
  open({ name, command }, { clock, random, log, realm, programEnv, programMark, right }): SinkWriter {
    // The quotes keep the mark of one sink from being the beginning of another's.
    const mark = `${programMark}${JSON.stringify(name)}.`;
    const program = new ProgramInput({ command, env: programEnv, mark, clock, random, log, right });
    return {
      isPatient: true,
      send: (batch, signal) => program.write(formatEntryLines(batch, realm), signal),
      close: () => program.close(),
    };
  },
};

/**
 * Input of a program that is started at the first write and again, with growing delays, whenever it ended. What may have
 * been in the pipe of a program that ended is written again to the next one.
 */
class ProgramInput {
  readonly #options: ProgramOptions;
  readonly #closing = new AbortController();
  #run: ProgramRun | undefined;
  #starts = 0;
  #quickEnds = 0;
  #startAtMs = 0;
  #lastEnd = "no reason is known";
  /** The last texts that the pipe has taken: as many as it may hold. */
  #unread: readonly string[] = [];
  #cancelRestart = (): void => {};
  /** Writes, and restarts without one, in order. */
  #work: Promise<unknown> = Promise.resolve();

  constructor(options: ProgramOptions) {
    this.#options = options;
  }

  /** Resolves when the pipe has taken the text, which waits for as long as the program does not read. */
  async write(text: string, signal: AbortSignal): Promise<SinkSendResult> {
    // A restart that waits for its program's reading must not delay the end of the sink.
    const isWritten = text === "" || (await unlessAborted(signal, () => this.#enqueue(() => this.#pour(text, signal))));
    if (isWritten) return delivered;
    return retry("program", `its program ended: ${this.#lastEnd}`, this.#startsInMs());
  }

  async close(): Promise<void> {
    const { clock, mark } = this.#options;
    this.#closing.abort();
    this.#cancelRestart();
    const run = this.#run;
    this.#run = undefined;
    await run?.close(clock);
    if (this.#starts > 0) await killMarkedInTurns([mark]);
  }

  #enqueue<T>(task: () => Promise<T>): Promise<T> {
    const done = this.#work.then(task);
    this.#work = done;
    return done;
  }

  /** Writes to the running program, or to the next one what the one before may not have read, and then the text. */
  async #pour(text: string, signal: AbortSignal): Promise<boolean> {
    const run = await this.#resume(signal);
    if (run === undefined || !(await run.write(text, signal))) return false;
    this.#unread = withinPipe([...this.#unread, text]);
    return true;
  }

  /** Starts a program unless one runs, and writes to it what the one before may not have read. */
  async #resume(signal: AbortSignal): Promise<ProgramRun | undefined> {
    if (this.#run !== undefined) return this.#run;
    if (signal.aborted || this.#startsInMs() > 0) return undefined;
    this.#cancelRestart();
    const run = this.#start();
    for (const text of this.#unread) {
      if (await run.write(text, signal)) continue;
      this.#restartLater();
      return undefined;
    }
    return this.#run;
  }

  #start(): ProgramRun {
    const { command, env, mark, clock } = this.#options;
    const startedMs = clock.monotonic();
    this.#starts += 1;
    this.#run = new ProgramRun({ command, env, mark: `${mark}${this.#starts}.` }, (why) => this.#ended(why, startedMs));
    return this.#run;
  }

  #ended(why: string, startedMs: number): void {
    const { command, clock, random, log } = this.#options;
    const nowMs = clock.monotonic();
    this.#lastEnd = why;
    this.#quickEnds = nowMs - startedMs < stableAfterMs ? this.#quickEnds + 1 : 0;
    this.#startAtMs = nowMs + (this.#quickEnds > 0 ? deliveryBackoffMs(this.#quickEnds, random) : 0);
    this.#run = undefined;
    this.#restartLater();
    log.warn({ program: command[0], why }, "the program of an exec sink ended");
  }

  /** Starts the next program although nothing is to be written: the one before may have ended with unread lines. */
  #restartLater(): void {
    const { signal } = this.#closing;
    this.#cancelRestart();
    if (signal.aborted || this.#unread.length === 0) return;
    this.#cancelRestart = this.#options.clock.after(this.#startsInMs(), () => {
      void this.#restart(signal);
    });
  }

  /** [PA45] Starts the next program as soon as the right to act permits. */
  async #restart(signal: AbortSignal): Promise<void> {
    const { right } = this.#options;
    if (right === undefined || (await right.whenFits(signal))) await this.#enqueue(() => this.#resume(signal));
  }

  /** Time until the next program may be started, ms. */
  #startsInMs(): number {
    return Math.max(0, this.#startAtMs - this.#options.clock.monotonic());
  }
}

/** One run of a program. */
class ProgramRun {
  readonly #child: ChildProcess;
  readonly #ended = new AbortController();

  constructor({ command, env, mark }: Pick<ProgramOptions, "command" | "env" | "mark">, onEnd: (why: string) => void) {
    const [file = "", ...args] = command;
    this.#child = spawn(file, args, {
      env: { ...env, [markVariable]: mark },
      stdio: ["pipe", "ignore", "ignore"],
      detached: true,
    });
    const end = (why: string): void => {
      if (this.#ended.signal.aborted) return;
      this.#ended.abort();
      // Its descendants must not read on beside the next program.
      void killMarkedInTurns([mark]);
      onEnd(why);
    };
    this.#child.on("error", (error) => end(describeSpawnError(error)));
    this.#child.on("exit", (code, signal) => end(signal === null ? `exit code ${code}` : `signal ${signal}`));
    this.#child.stdin?.on("error", () => {});
  }

  /** Writes to the pipe. False when the program ended or `signal` aborted first. */
  write(text: string, signal: AbortSignal): Promise<boolean> {
    const written = (): Promise<boolean> =>
      new Promise((resolve) => void this.#child.stdin?.write(text, (error) => resolve(!error)));
    return unlessAborted(AbortSignal.any([this.#ended.signal, signal]), written);
  }

  /** Lets the program read to the end, and kills its process group if it does not end by itself. */
  async close(clock: Clock): Promise<void> {
    this.#child.stdin?.end();
    await waitAtMost(clock, exitWithinMs, once(this.#ended.signal, "abort"));
    if (!this.#ended.signal.aborted) killGroup(this.#child.pid);
  }
}

/** Waits for `work`; false once `signal` has aborted. No listener remains: `signal` may live as long as the sink. */
async function unlessAborted(signal: AbortSignal, work: () => Promise<boolean>): Promise<boolean> {
  if (signal.aborted) return false;
  const { promise: aborted, resolve } = Promise.withResolvers<boolean>();
  const abort = (): void => resolve(false);
  signal.addEventListener("abort", abort, { once: true });
  return Promise.race([work(), aborted]).finally(() => signal.removeEventListener("abort", abort));
}

/** The last texts, as many as a pipe may hold. */
function withinPipe(texts: readonly string[]): readonly string[] {
  let bytes = 0;
  const first = texts.findLastIndex((text) => {
    bytes += Buffer.byteLength(text);
    return bytes >= pipeBytes;
  });
  return texts.slice(Math.max(0, first));
}

/** Description of a failed start, without the path. */
function describeSpawnError(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ENOENT" ? "its program does not exist" : `its program cannot be started (${code})`;
}
