import { Socket } from "node:net";
import { constants } from "node:os";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { openBatch } from "../batch.ts";
import {
  decodeOrder,
  endingWithoutOutput,
  FrameReader,
  FrameWriter,
  type ProgramEnding,
  type StartOrder,
} from "./helper-frames.ts";
import { killMarked, killMarkedNow } from "./marked-processes.ts";
import { type SpawnedProgram, spawnWithNode } from "./node-spawner.ts";
import type { ProgramRequest } from "./program-runner.ts";

/** Strays are looked for at most so often, ms: a pass over /proc is not free, and timeouts come in crowds. */
const sweepEveryMs = 1_000;

/**
 * A helper's whole life where the C library cannot be reached: programs are started with Node.js' own means. They find
 * sockets instead of pipes as their outputs, and starting one costs about twice as much.
 */
export function runNodeHelper(fd: number, markStart: string): void {
  const socket = new Socket({ fd, readable: true, writable: true });
  const running = new Map<number, { readonly mark: string; readonly spawned: SpawnedProgram }>();
  let strays: string[] = [];
  /** Marks that a sweep looks for right now. */
  let sought: readonly string[] = [];
  let sweeping = false;
  const tell = openBatch<ProgramEnding>((endings) => {
    const frames = new FrameWriter();
    for (const ending of endings) frames.ending(ending);
    socket.write(frames.take());
  });

  function start(order: StartOrder): void {
    const { id } = order;
    const mark = `${markStart}${id}.`;
    const program = readProgram(order);
    if (program === undefined) return tell(endingWithoutOutput("not_started", id, constants.errno.EINVAL));
    let ended = false;
    const surroundings = { clock: systemClock, leftBehind: () => sweepSoon(mark) };
    const spawned = spawnWithNode(program, surroundings, (ending) => {
      ended = true;
      running.delete(id);
      tell({ ...ending, id });
    });
    if (!ended) running.set(id, { mark, spawned });
  }

  function sweepSoon(mark: string): void {
    strays.push(mark);
    if (!sweeping) void sweep();
  }

  async function sweep(): Promise<void> {
    sweeping = true;
    while (strays.length > 0) {
      sought = strays;
      strays = [];
      const pass = killMarked(sought);
      let step = pass.next();
      for (; !step.done; step = pass.next()) await new Promise((resolve) => setImmediate(resolve));
      sought = [];
      if (step.value > 0) tell(endingWithoutOutput("strays", 0, step.value));
      await new Promise<void>((resolve) => systemClock.after(sweepEveryMs, resolve));
    }
    sweeping = false;
  }

  const orders = new FrameReader();
  socket.on("data", (chunk: Buffer) =>
    orders.push(chunk, (frame) => {
      const order = decodeOrder(frame);
      if (order.kind === "start") start(order);
      else running.get(order.id)?.spawned.abort();
    }),
  );
  socket.on("error", () => {}); // "close" follows.
  socket.on("close", () => {
    const marks = [...sought, ...strays, ...[...running.values()].map(({ mark }) => mark)];
    for (const { spawned } of [...running.values()]) spawned.abort();
    killMarkedNow(marks);
    process.exit(0);
  });
}

type NodeProgram = Pick<ProgramRequest, "argv" | "timeoutMs"> & {
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: Buffer | undefined;
};

/** Undefined where a text holds a NUL, which makes more strings of them than were announced. */
function readProgram({ argc, envc, strings, stdin, timeoutMs }: StartOrder): NodeProgram | undefined {
  const texts = strings.toString().split("\0").slice(0, -1);
  const [file, ...args] = texts.slice(0, argc);
  if (file === undefined || texts.length !== argc + envc) return undefined;
  const env: Record<string, string> = {};
  for (const variable of texts.slice(argc)) {
    const at = variable.indexOf("=");
    env[variable.slice(0, at)] = variable.slice(at + 1);
  }
  return { argv: [file, ...args], env, stdin: stdin && Buffer.from(stdin), timeoutMs };
}
