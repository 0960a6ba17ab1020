/**
 * A helper process: it starts programs for the process that forked it. It is kept small, because starting a program
 * costs time in proportion to the memory of who starts it, and it ends with its parent and leaves no program behind.
 * Its one argument is the beginning of the marks of its programs.
 */
import { systemClock } from "@realmwatch/shared/tools/system-clock";
import { openBatch } from "./batch.ts";
import type { Done, FromHelper, ToHelper } from "./helper-protocol.ts";
import { killMarked } from "./marked-processes.ts";
import type { ProgramOutcome, ProgramRequest } from "./program.ts";
import { type Spawned, type Surroundings, spawnProgram } from "./spawn-program.ts";

/** Strays are looked for at most so often, ms: a pass over /proc is not free, and timeouts come in crowds. */
const sweepEveryMs = 1_000;

const markStart = process.argv[2] ?? "";
const running = new Map<number, Spawned>();
const strays: string[] = [];
let sweeping = false;
const tell = openBatch<Done>((done) => {
  // The callback takes the error of a parent that has gone; "disconnect" deals with that.
  if (process.connected) process.send?.({ done } satisfies FromHelper, () => {});
});

function begin(id: number, request: ProgramRequest): void {
  const surroundings: Surroundings = {
    clock: systemClock,
    env: process.env,
    mark: `${markStart}${id}.`,
    leftBehind: sweepSoon,
  };
  let ended = false;
  const spawned = spawnProgram(request, surroundings, (outcome) => {
    ended = true;
    end(id, outcome);
  });
  if (!ended) running.set(id, spawned);
}

function end(id: number, outcome: ProgramOutcome): void {
  running.delete(id);
  tell({ id, outcome });
}

function sweepSoon(mark: string): void {
  strays.push(mark);
  if (!sweeping) void sweep();
}

async function sweep(): Promise<void> {
  sweeping = true;
  while (strays.length > 0) {
    await killMarked(strays.splice(0));
    await new Promise<void>((resolve) => systemClock.after(sweepEveryMs, resolve));
  }
  sweeping = false;
}

process.on("message", ({ orders }: ToHelper) => {
  for (const order of orders) {
    if (order.kind === "start") begin(order.id, order.request);
    else running.get(order.id)?.abort();
  }
});

process.on("disconnect", async () => {
  const anyLeft = running.size > 0 || strays.length > 0;
  for (const spawned of [...running.values()]) spawned.abort();
  if (anyLeft) await killMarked([markStart]);
  process.exit(0);
});

// A terminal or a service manager signals the whole group; when to end is the parent's decision.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});
