import { type ChildProcess, type ChildProcessByStdio, type StdioOptions, spawn } from "node:child_process";
import { constants } from "node:os";
import type { Readable, Writable } from "node:stream";
import type { Clock } from "@realmwatch/shared/model/clock";
import { CapturedOutput } from "./captured-output.ts";
import { endingWithoutOutput, type ProgramEnding } from "./helper-frames.ts";

/** How long children of a program that has exited may hold its output open, ms. */
export const outputGraceMs = 100;

/** `env` is all that it inherits. */
export type SpawnRequest = {
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: Buffer | undefined;
  readonly timeoutMs: number;
};

export type SpawnedProgram = { /** Kills the process group; the ending is `aborted`. */ abort(): void };

/** What a run may need beside its request. */
export type SpawnDependencies = {
  readonly clock: Clock;
  /** Called where processes outside the killed group may be left. */
  leftBehind(): void;
};

/** Starts a program in a process group of its own and calls `done` once: never later than shortly after its deadline. */
export function spawnWithNode(
  request: SpawnRequest,
  { clock, leftBehind }: SpawnDependencies,
  done: (ending: Omit<ProgramEnding, "id">) => void,
): SpawnedProgram {
  const startedMs = clock.monotonic();
  const child = start(request);
  if (typeof child === "number") {
    done(endingWithoutOutput("not_started", 0, child));
    return { abort: () => {} };
  }
  const { process: program, stdout, stderr } = child;
  let cancelTimer = clock.after(request.timeoutMs, () => killed("timed_out"));
  let finished = false;

  function finish(kind: ProgramEnding["kind"], code: number, elapsedMs: number): void {
    if (finished) return;
    finished = true;
    cancelTimer();
    program.stdout.destroy();
    program.stderr.destroy();
    const truncated = stdout.truncated || stderr.truncated;
    done({ kind, code, elapsedMs, stdout: stdout.bytes(), stderr: stderr.bytes(), truncated });
  }
  function killed(kind: "timed_out" | "aborted"): void {
    if (finished) return;
    killGroup(program);
    leftBehind();
    finish(kind, 0, clock.monotonic() - startedMs);
  }
  program.on("error", (error) => finish("not_started", errnoOf(error), 0));
  program.on("exit", (code, signal) => {
    if (finished) return;
    const elapsedMs = clock.monotonic() - startedMs;
    const report = (): void =>
      signal === null
        ? finish("exited", code ?? 0, elapsedMs)
        : finish("signalled", constants.signals[signal], elapsedMs);
    program.on("close", report);
    cancelTimer();
    cancelTimer = clock.after(outputGraceMs, () =>
      // One more turn, so that what already lies in the pipe is read even where this process was kept waiting.
      setImmediate(() => {
        if (!finished && !program.stdout.readableEnded) {
          killGroup(program);
          leftBehind();
        }
        report();
      }),
    );
  });
  return { abort: () => killed("aborted") };
}

type Program = ChildProcessByStdio<Writable | null, Readable, Readable>;
type Started = { process: Program; stdout: CapturedOutput; stderr: CapturedOutput };

/** The running program, or why there is none: an errno. */
function start(request: SpawnRequest): Started | number {
  const [file, ...args] = request.argv;
  try {
    const stdin = request.stdin === undefined ? "ignore" : "pipe";
    const stdio: StdioOptions = [stdin, "pipe", "pipe"];
    const program = spawn(file, args, { env: request.env, detached: true, stdio }) as Program;
    // Without a descriptor to spare there are no streams, and an error event follows.
    if (!program.stdout) {
      program.on("error", () => {});
      return constants.errno.EMFILE;
    }
    program.stdin?.on("error", () => {}); // A program need not read what it is told.
    program.stdin?.end(request.stdin);
    return { process: program, stdout: capture(program.stdout), stderr: capture(program.stderr) };
  } catch (error) {
    return errnoOf(error);
  }
}

/** Reads `stream` to its end. Its errors end it like an end. */
function capture(stream: Readable): CapturedOutput {
  const captured = new CapturedOutput();
  stream.on("error", () => {});
  stream.on("data", (chunk: Buffer) => captured.add(chunk));
  return captured;
}

function errnoOf(error: unknown): number {
  return error instanceof Error && "errno" in error ? Math.abs(Number(error.errno)) : constants.errno.EINVAL;
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Nobody is left in it.
  }
}
