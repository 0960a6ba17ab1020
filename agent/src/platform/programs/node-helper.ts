import { type ChildProcessByStdio, spawn } from "node:child_process";
import { Socket } from "node:net";
import { constants } from "node:os";
import type { Readable } from "node:stream";
import { sleep } from "@realmwatch/shared/model/clock";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { openBatch } from "../batch.ts";
import { CapturedOutput, outputGraceMs } from "./captured-output.ts";
import {
  decodeOrder,
  endingWithoutOutput,
  FrameReader,
  FrameWriter,
  type ProgramEnding,
  type StartOrder,
} from "./helper-frames.ts";
import { StraySweep } from "./stray-sweep.ts";

const { EINVAL, EMFILE } = constants.errno;

/**
 * Runs a helper on child_process, for machines where the C library cannot be called. A start costs twice the CPU time of
 * the native helper, and programs have sockets instead of pipes as outputs; see docs/decisions/0011-starting-programs.md.
 * Exits when the socket `fd` closes.
 *
 * @param markPrefix beginning of the marks of its programs
 */
export function runNodeHelper(fd: number, markPrefix: string): void {
  const socket = new Socket({ fd, readable: true, writable: true });
  const running = new Map<number, () => void>();
  const strays = new StraySweep();
  const markOf = (id: number): string => `${markPrefix}${id}.`;
  let sweeping = false;
  const send = openBatch<ProgramEnding>((endings) => {
    const frames = new FrameWriter();
    for (const ending of endings) frames.ending(ending);
    socket.write(frames.take());
  });

  function start(order: StartOrder): void {
    const { id } = order;
    let ended = false;
    const abort = startProgram(order, {
      done(ending) {
        ended = true;
        running.delete(id);
        send(ending);
      },
      groupKilled() {
        strays.add(markOf(id));
        if (!sweeping) void sweep();
      },
    });
    if (!ended) running.set(id, abort);
  }

  async function sweep(): Promise<void> {
    sweeping = true;
    for (let dueMs = strays.dueMs; dueMs < Number.POSITIVE_INFINITY; dueMs = strays.dueMs) {
      const waitMs = dueMs - systemClock.monotonic();
      if (waitMs > 0) await sleep(systemClock, waitMs);
      const killed = strays.step(systemClock.monotonic()) ?? 0;
      if (killed > 0) send(endingWithoutOutput("strays", 0, killed));
      await new Promise((resolve) => setImmediate(resolve));
    }
    sweeping = false;
  }

  const orders = new FrameReader();
  socket.on("data", (chunk: Buffer) =>
    orders.push(chunk, (frame) => {
      const order = decodeOrder(frame);
      if (order.kind === "start") start(order);
      else running.get(order.id)?.();
    }),
  );
  socket.on("error", () => {}); // "close" follows.
  socket.on("close", () => {
    const marks = [...running.keys()].map(markOf);
    for (const abort of [...running.values()]) abort();
    strays.finish(marks);
    process.exit(0);
  });
}

type Hooks = {
  done(ending: ProgramEnding): void;
  /** Called after a process group was killed: processes that left the group may still be running. */
  groupKilled(): void;
};

/** Starts a program in its own process group; `done` is called once, at its deadline at the latest. Returns an abort. */
function startProgram(order: StartOrder, { done, groupKilled }: Hooks): () => void {
  const { id, timeoutMs } = order;
  const startedMs = systemClock.monotonic();
  const started = spawnProgram(order);
  if (typeof started === "number") {
    done(endingWithoutOutput("not_started", id, started));
    return () => {};
  }
  const program = started;
  const [stdout, stderr] = [capture(program.stdout), capture(program.stderr)];
  let finished = false;
  let cancelTimer = systemClock.after(timeoutMs, () => kill("timed_out"));

  function finish(kind: ProgramEnding["kind"], code: number, elapsedMs: number): void {
    if (finished) return;
    finished = true;
    cancelTimer();
    program.stdout.destroy();
    program.stderr.destroy();
    const truncated = stdout.truncated || stderr.truncated;
    done({ kind, id, code, elapsedMs, stdout: stdout.bytes(), stderr: stderr.bytes(), truncated });
  }
  function kill(kind: "timed_out" | "aborted"): void {
    if (finished) return;
    killGroup();
    finish(kind, 0, systemClock.monotonic() - startedMs);
  }
  function killGroup(): void {
    try {
      if (program.pid !== undefined) process.kill(-program.pid, "SIGKILL");
    } catch {
      // The group is empty.
    }
    groupKilled();
  }
  program.on("error", (error) => finish("not_started", errnoOf(error), 0));
  program.on("exit", (code, signal) => {
    if (finished) return;
    const elapsedMs = systemClock.monotonic() - startedMs;
    const report = (): void =>
      signal === null
        ? finish("exited", code ?? 0, elapsedMs)
        : finish("signalled", constants.signals[signal], elapsedMs);
    program.on("close", report);
    cancelTimer();
    cancelTimer = systemClock.after(outputGraceMs, () =>
      // In the next turn of the event loop, so that available output is read even when this process was delayed.
      setImmediate(() => {
        if (!finished && !program.stdout.readableEnded) killGroup();
        report();
      }),
    );
  });
  return () => kill("aborted");
}

type Program = ChildProcessByStdio<null, Readable, Readable>;

/** Starts the program of an order; returns an errno when it cannot, or when a string contains NUL. */
function spawnProgram({ argc, envc, strings }: StartOrder): Program | number {
  const texts = strings.toString().split("\0").slice(0, -1);
  const [file, ...args] = texts.slice(0, argc);
  if (file === undefined || texts.length !== argc + envc) return EINVAL;
  const env = Object.fromEntries(texts.slice(argc).map((variable) => variable.split(/=(.*)/s, 2)));
  try {
    const program = spawn(file, args, { env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
    // Without free descriptors there are no streams, and an "error" event follows.
    if (!program.stdout) {
      program.on("error", () => {});
      return EMFILE;
    }
    return program;
  } catch (error) {
    return errnoOf(error);
  }
}

/** Captures `stream`. An error counts as its end. */
function capture(stream: Readable): CapturedOutput {
  const captured = new CapturedOutput();
  stream.on("error", () => {});
  stream.on("data", (chunk: Buffer) => captured.add(chunk));
  return captured;
}

const errnoOf = (error: unknown): number =>
  error instanceof Error && "errno" in error ? Math.abs(Number(error.errno)) : EINVAL;
