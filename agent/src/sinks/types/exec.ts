import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type Clock, sleep } from "@realmwatch/shared/model/clock";
import { killGroup } from "@realmwatch/shared/platform/cue/engine/process-group";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { RandomSource } from "@realmwatch/shared/platform/random";
import { deliveryBackoffMs } from "../../platform/outbound/delivery-backoff.ts";
import { delivered, retry } from "../../platform/outbound/delivery-result.ts";
import { killMarkedInTurns, markVariable } from "../../platform/programs/marked-processes.ts";
import { formatEntryLines } from "../encode/entry-lines.ts";
import type { SinkSendResult } from "../send-result.ts";
import type { SinkWriter, SinkWriterType } from "../sink-type.ts";

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
};

/** Writes lines of JSON to the standard input of one program, which runs as long as the sink. */
export const execSinkType: SinkWriterType<"exec"> = {
  open({ name, command }, { clock, random, log, realm, programEnv, programMark }): SinkWriter {
    // The quotes keep the mark of one sink from being the beginning of another's.
    const mark = `${programMark}${JSON.stringify(name)}.`;
    const program = openProgramInput({ command, env: programEnv, mark, clock, random, log });
    return {
      send: (batch, signal) => program.write(formatEntryLines(batch, realm), signal),
      close: program.close,
    };
  },
};

type ProgramInput = {
  /** Resolves when the pipe has taken the text, which waits for as long as the program does not read. */
  write(text: string, signal: AbortSignal): Promise<SinkSendResult>;
  close(): Promise<void>;
};

type RunningProgram = { readonly child: ChildProcess; readonly ended: AbortSignal; readonly startedMs: number };

/**
 * Input of a program that is started at the first write and again, with growing delays, whenever it ended. What may have
 * been in the pipe of a program that ended is written again to the next one.
 */
function openProgramInput({ command, env, mark, clock, random, log }: ProgramOptions): ProgramInput {
  let running: RunningProgram | undefined;
  let starts = 0;
  let quickEnds = 0;
  let startAtMs = 0;
  let lastEnd = "";
  /** The last texts that the pipe has taken: as many as it may hold. */
  let unread: string[] = [];
  const closing = new AbortController();
  let cancelRestart = (): void => {};
  /** Writes, and restarts without one, in order. */
  let work: Promise<unknown> = Promise.resolve();

  function start(): RunningProgram {
    const [file = "", ...args] = command;
    starts += 1;
    const ownMark = `${mark}${starts}.`;
    const stdio = ["pipe", "ignore", "ignore"] as const;
    const child = spawn(file, args, { env: { ...env, [markVariable]: ownMark }, stdio: [...stdio], detached: true });
    const ended = new AbortController();
    const started = { child, ended: ended.signal, startedMs: clock.monotonic() };
    const onEnd = (why: string): void => {
      if (ended.signal.aborted) return;
      lastEnd = why;
      quickEnds = clock.monotonic() - started.startedMs < stableAfterMs ? quickEnds + 1 : 0;
      startAtMs = clock.monotonic() + (quickEnds > 0 ? deliveryBackoffMs(quickEnds, random) : 0);
      if (running === started) running = undefined;
      ended.abort();
      // Its descendants must not read on beside the next program.
      void killMarkedInTurns([ownMark]);
      scheduleRestart();
      log.warn({ program: file, why }, "the program of an exec sink ended");
    };
    child.on("error", (error) => onEnd(describeSpawnError(error)));
    child.on("exit", (code, signal) => onEnd(signal === null ? `exit code ${code}` : `signal ${signal}`));
    child.stdin?.on("error", () => {});
    running = started;
    return started;
  }

  /** Starts the next program although nothing is to be written: the one before may have ended with unread lines. */
  function scheduleRestart(): void {
    cancelRestart();
    if (closing.signal.aborted || unread.length === 0) return;
    cancelRestart = clock.after(Math.max(0, startAtMs - clock.monotonic()), () => {
      enqueue(() => resume(closing.signal));
    });
  }

  function enqueue<T>(task: () => Promise<T>): Promise<T> {
    const done = work.then(task);
    work = done;
    return done;
  }

  /** Starts a program unless one runs, and writes to it what the one before may not have read. */
  async function resume(signal: AbortSignal): Promise<RunningProgram | undefined> {
    if (running !== undefined) return running;
    if (signal.aborted || clock.monotonic() < startAtMs) return undefined;
    cancelRestart();
    const again = unread;
    unread = [];
    const started = start();
    for (const [at, old] of again.entries()) {
      if (!(await pour(started, old, signal))) {
        unread = [...unread, ...again.slice(at)];
        scheduleRestart();
        return undefined;
      }
      remember(old);
    }
    return running;
  }

  /** Writes to the pipe. False when the program ended or `signal` aborted first. */
  async function pour({ child, ended }: RunningProgram, text: string, signal: AbortSignal): Promise<boolean> {
    const stop = AbortSignal.any([ended, signal]);
    if (stop.aborted) return false;
    return new Promise((resolve) => {
      stop.addEventListener("abort", () => resolve(false), { once: true });
      child.stdin?.write(text, (error) => resolve(!error));
    });
  }

  function remember(text: string): void {
    unread.push(text);
    let bytes = unread.reduce((sum, one) => sum + Buffer.byteLength(one), 0);
    for (let oldest = unread[0]; oldest !== undefined; oldest = unread[0]) {
      bytes -= Buffer.byteLength(oldest);
      if (bytes < pipeBytes) return;
      unread.shift();
    }
  }

  const failed = (): SinkSendResult =>
    retry(
      "program",
      `its program ended: ${lastEnd || "no reason is known"}`,
      Math.max(0, startAtMs - clock.monotonic()),
    );

  return {
    write(text, signal) {
      if (text === "") return Promise.resolve(delivered);
      const written = enqueue(async () => {
        const program = await resume(signal);
        if (program === undefined || !(await pour(program, text, signal))) return failed();
        remember(text);
        return delivered;
      });
      // A restart that waits for its program's reading must not delay the end of the sink.
      const { promise: aborted, resolve } = Promise.withResolvers<SinkSendResult>();
      const abort = (): void => resolve(failed());
      signal.addEventListener("abort", abort, { once: true });
      return Promise.race([written, aborted]).finally(() => signal.removeEventListener("abort", abort));
    },
    async close() {
      closing.abort();
      cancelRestart();
      if (running !== undefined) await end(running);
      if (starts > 0) await killMarkedInTurns([mark]);
    },
  };

  /** Lets the program read to the end, and kills its process group if it does not end by itself. */
  async function end({ child, ended }: RunningProgram): Promise<void> {
    running = undefined;
    child.stdin?.end();
    const done = new AbortController();
    await Promise.race([once(ended, "abort"), sleep(clock, exitWithinMs, done.signal)]);
    done.abort();
    if (!ended.aborted) killGroup(child.pid);
  }
}

/** Description of a failed start, without the path. */
function describeSpawnError(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ENOENT" ? "its program does not exist" : `its program cannot be started (${code})`;
}
