import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { Clock } from "@realmwatch/shared/words/clock";
import { type Captured, captureOutput } from "./captured-output.ts";
import { markVariable } from "./marked-processes.ts";
import type { NotStarted, Printed, ProgramOutcome, ProgramRequest } from "./program.ts";

/** How long children of a program that has exited may hold its output open, ms. */
const graceMs = 100;

export type Spawned = { /** Kills the process group; the outcome is `aborted`. */ abort(): void };

/** What a run may need beside its request. */
export type Surroundings = {
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** See `markVariable`. */
  readonly mark: string;
  /** Called where processes outside the killed group may be left. */
  leftBehind(mark: string): void;
};

/** Starts a program in a process group of its own and calls `done` once: never later than shortly after its deadline. */
export function spawnProgram(
  request: ProgramRequest,
  { clock, env, mark, leftBehind }: Surroundings,
  done: (outcome: ProgramOutcome) => void,
): Spawned {
  const startedMs = clock.monotonic();
  const child = start(request, { ...env, ...request.env, [markVariable]: mark });
  if (!("process" in child)) {
    done(child);
    return { abort: () => {} };
  }
  const { process: program, stdout, stderr } = child;
  let cancelTimer = clock.after(request.timeoutMs, () => killed("timed_out"));
  let finished = false;

  function finish(outcome: ProgramOutcome): void {
    if (finished) return;
    finished = true;
    cancelTimer();
    program.stdout.destroy();
    program.stderr.destroy();
    done(outcome);
  }
  const ran = (): Printed & { elapsedMs: number } => ({
    stdout: stdout.text(),
    stderr: stderr.text(),
    truncated: stdout.truncated(),
    elapsedMs: clock.monotonic() - startedMs,
  });
  function killed(kind: "timed_out" | "aborted"): void {
    if (finished) return;
    killGroup(program);
    leftBehind(mark);
    finish(kind === "timed_out" ? { kind, ...ran() } : { kind });
  }
  program.on("error", (error) => finish(notStarted(error)));
  program.on("exit", (code, signal) => {
    if (finished) return;
    const elapsedMs = clock.monotonic() - startedMs;
    const report = (): void =>
      finish(
        signal === null
          ? { kind: "exited", code: code ?? 0, ...ran(), elapsedMs }
          : { kind: "signalled", signal, ...ran(), elapsedMs },
      );
    program.on("close", report);
    cancelTimer();
    cancelTimer = clock.after(graceMs, () =>
      // One more turn, so that what already lies in the pipe is read even where this process was kept waiting.
      setImmediate(() => {
        if (!finished && !program.stdout.readableEnded) {
          killGroup(program);
          leftBehind(mark);
        }
        report();
      }),
    );
  });
  return { abort: () => killed("aborted") };
}

type Program = ChildProcessByStdio<Writable | null, Readable, Readable>;
type Started = { process: Program; stdout: Captured; stderr: Captured };

function start(request: ProgramRequest, env: NodeJS.ProcessEnv): Started | ProgramOutcome {
  const [file, ...args] = request.argv;
  try {
    const stdin = request.stdin === undefined ? "ignore" : "pipe";
    const program = spawn(file, args, { env, detached: true, stdio: [stdin, "pipe", "pipe"] }) as Program;
    program.stdin?.on("error", () => {}); // A program need not read what it is told.
    program.stdin?.end(request.stdin);
    return { process: program, stdout: captureOutput(program.stdout), stderr: captureOutput(program.stderr) };
  } catch (error) {
    return notStarted(error);
  }
}

const reasons: Readonly<Record<string, NotStarted>> = {
  ENOENT: "missing",
  ENOTDIR: "missing",
  EACCES: "not_executable",
  EPERM: "not_executable",
  ENOEXEC: "not_executable",
  E2BIG: "too_long",
  EAGAIN: "no_resources",
  ENOMEM: "no_resources",
  EMFILE: "no_resources",
  ENFILE: "no_resources",
};

function notStarted(error: unknown): ProgramOutcome {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return { kind: "not_started", why: reasons[code] ?? "refused", code };
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Nobody is left in it.
  }
}
