import { constants } from "node:os";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { type Libc, pollIn, pollOut } from "../libc/libc.ts";
import { outputGraceMs } from "./captured-output.ts";
import {
  decodeOrder,
  endingWithoutOutput,
  FrameReader,
  FrameWriter,
  type ProgramEnding,
  type StartOrder,
} from "./helper-frames.ts";
import { NativeSpawner, type StartedProgram } from "./native-spawner.ts";
import { OrphanReaper, reapAfterMs, reapIntervalMs } from "./orphan-reaper.ts";
import { StraySweep } from "./stray-sweep.ts";

/** Programs started before ended ones are handled again: each start takes long enough to delay those. */
const startBatch = 4;
/**
 * Running time after which output is read continuously, ms. Most programs end earlier and their output is read once; until
 * then the pipes hold 64 KiB.
 */
const readOutputAfterMs = 100;
/** Endings are sent together, because each message wakes the parent: at most this many, and at most this late, ms. */
const endingBatch = 6;
const maxEndingDelayMs = 4;
/** Longest wait that `poll` accepts, ms. */
const maxWaitMs = 2 ** 31 - 1;

type Program = StartedProgram & {
  readonly id: number;
  readonly mark: string;
  readonly startedMs: number;
  /** Time from which its output is read continuously. */
  readonly readFromMs: number;
  /** Time at which it is killed; once it has ended, time at which children that hold its output are. */
  deadlineMs: number;
  /** Time at which it ended; set while its output is still open. */
  endedMs: number | undefined;
};

/** Owner of a descriptor in the poll set. */
type Watched = { readonly program: Program; readonly what: "process" | "stdout" | "stderr" };

/**
 * Runs a helper on the C library, in one loop around poll(2) that never returns to the event loop of Node.js. Exits when
 * the socket `fd` closes.
 *
 * @param markPrefix beginning of the marks of its programs
 */
export function runNativeHelper(libc: Libc, fd: number, markPrefix: string): never {
  libc.adoptOrphans();
  libc.closeOnExecFrom(fd);
  const helper = new NativeHelper(libc, fd, markPrefix);
  for (;;) helper.turn();
}

class NativeHelper {
  readonly #libc: Libc;
  readonly #fd: number;
  readonly #markPrefix: string;
  readonly #spawner: NativeSpawner;
  readonly #orders = new FrameReader();
  readonly #endings = new FrameWriter();
  #queuedEndings = 0;
  #sendAtMs = Number.POSITIVE_INFINITY;
  readonly #programs = new Map<number, Program>();
  readonly #orphans: OrphanReaper;
  readonly #strays = new StraySweep();
  readonly #watched: (Watched | undefined)[] = [];
  /** `struct pollfd`, two numbers each. */
  #set = new Int32Array(64);
  #count = 0;

  constructor(libc: Libc, fd: number, markPrefix: string) {
    this.#libc = libc;
    this.#fd = fd;
    this.#markPrefix = markPrefix;
    this.#spawner = new NativeSpawner(libc);
    this.#orphans = new OrphanReaper(libc);
  }

  turn(): void {
    const more = this.#takeOrders();
    const nowMs = systemClock.monotonic();
    this.#watch(nowMs, more);
    if (this.#libc.poll(this.#set, this.#count, more ? 0 : this.#waitMs(nowMs)) > 0) this.#serve();
    this.#handleDue(systemClock.monotonic());
  }

  /** Handles received orders; returns true when some are left for the next turn. */
  #takeOrders(): boolean {
    for (let started = 0; started < startBatch; ) {
      const frame = this.#orders.next();
      if (frame === undefined) return false;
      const order = decodeOrder(frame);
      if (order.kind === "start") {
        this.#start(order);
        started += 1;
      } else this.#kill(this.#programs.get(order.id), "aborted");
    }
    return true;
  }

  #start(order: StartOrder): void {
    const startedMs = systemClock.monotonic();
    const { id, timeoutMs } = order;
    const started = this.#spawner.start(order);
    if (typeof started === "number") {
      this.#orphans.scheduleBy(startedMs + reapAfterMs);
      return this.#queueEnding(endingWithoutOutput("not_started", id, started));
    }
    const mark = `${this.#markPrefix}${id}.`;
    this.#programs.set(id, {
      ...started,
      ...{ id, mark, startedMs, endedMs: undefined },
      readFromMs: startedMs + readOutputAfterMs,
      deadlineMs: startedMs + timeoutMs,
    });
  }

  /** Rebuilds the poll set: with at most 64 programs this costs less than updating it. */
  #watch(nowMs: number, more: boolean): void {
    this.#count = 0;
    if (this.#set.length < 2 * (1 + 3 * this.#programs.size)) this.#set = new Int32Array(8 * this.#set.length);
    const sending = this.#sendAtMs <= nowMs;
    this.#add(this.#fd, (more ? 0 : pollIn) | (sending ? pollOut : 0), undefined);
    for (const program of this.#programs.values()) {
      const { stdout, stderr } = program;
      const readOutput = program.endedMs !== undefined || program.readFromMs <= nowMs;
      if (program.endedMs === undefined) this.#add(program.pidfd, pollIn, { program, what: "process" });
      if (readOutput && stdout.fd >= 0) this.#add(stdout.fd, pollIn, { program, what: "stdout" });
      if (readOutput && stderr.fd >= 0) this.#add(stderr.fd, pollIn, { program, what: "stderr" });
    }
  }

  /** Adds a `struct pollfd`: the descriptor, then requested events and, in the upper half, returned events. */
  #add(fd: number, events: number, watched: Watched | undefined): void {
    this.#set[2 * this.#count] = fd;
    this.#set[2 * this.#count + 1] = events;
    this.#watched[this.#count++] = watched;
  }

  #waitMs(nowMs: number): number {
    let dueMs = Math.min(this.#orphans.dueMs, this.#strays.dueMs);
    // Overdue endings did not fit into the socket, which then wakes `poll` by `POLLOUT`.
    if (this.#sendAtMs > nowMs) dueMs = Math.min(dueMs, this.#sendAtMs);
    for (const { deadlineMs, readFromMs } of this.#programs.values()) {
      const nextMs = readFromMs > nowMs ? Math.min(readFromMs, deadlineMs) : deadlineMs;
      if (nextMs < dueMs) dueMs = nextMs;
    }
    return dueMs === Number.POSITIVE_INFINITY ? -1 : Math.min(Math.max(0, Math.ceil(dueMs - nowMs)), maxWaitMs);
  }

  #serve(): void {
    for (let index = 1; index < this.#count; index += 1) {
      const watched = this.#watched[index];
      if (watched === undefined || (this.#set[2 * index + 1] as number) >>> 16 === 0) continue;
      const { program, what } = watched;
      if (what === "process") this.#ended(program);
      else program[what].drain();
      if (program.endedMs !== undefined) this.#finishIfAllRead(program);
    }
    const returned = (this.#set[1] as number) >>> 16;
    if ((returned & ~pollOut) !== 0) this.#readOrders();
  }

  #readOrders(): void {
    const bytes = this.#libc.read(this.#fd, this.#orders.room());
    if (bytes > 0) this.#orders.took(bytes);
    else if (bytes === 0 || this.#libc.errno() !== constants.errno.EINTR) this.#exit();
  }

  #ended(program: Program): void {
    program.endedMs = systemClock.monotonic();
    program.deadlineMs = program.endedMs + outputGraceMs;
    program.stdout.drain();
    program.stderr.drain();
  }

  #finishIfAllRead(program: Program): void {
    if (program.stdout.fd < 0 && program.stderr.fd < 0) this.#finish(program);
  }

  #handleDue(nowMs: number): void {
    for (const program of this.#programs.values()) {
      if (program.deadlineMs > nowMs) continue;
      if (program.endedMs === undefined) this.#kill(program, "timed_out");
      else this.#endGrace(program);
    }
    this.#orphans.run(nowMs, this.#programs.values());
    const killed = this.#strays.step(nowMs);
    if (killed !== undefined) this.#orphans.scheduleBy(nowMs + reapAfterMs);
    if (killed !== undefined && killed > 0) this.#queueEnding(endingWithoutOutput("strays", 0, killed));
    if (this.#sendAtMs <= nowMs) this.#sendEndings();
  }

  /** Kills children that hold the output of an ended program. Others live on: an event handler may start a daemon. */
  #endGrace(program: Program): void {
    program.stdout.drain();
    // The program is not reaped yet, so that the id of its group cannot have been reused.
    if (program.stdout.fd >= 0) this.#killAll(program);
    this.#finish(program);
  }

  #kill(program: Program | undefined, kind: "timed_out" | "aborted"): void {
    if (program === undefined) return;
    this.#killAll(program);
    program.stdout.drain();
    program.stderr.drain();
    const nowMs = systemClock.monotonic();
    this.#end(program, { kind, code: 0, elapsedMs: nowMs - program.startedMs });
    this.#orphans.scheduleBy(nowMs + reapAfterMs);
  }

  #killAll({ pid, mark }: Program): void {
    this.#libc.killGroup(pid);
    this.#strays.add(mark);
  }

  #finish(program: Program): void {
    const status = this.#libc.takeStatus(program.pid);
    const signal = status & 0x7f;
    const elapsedMs = (program.endedMs ?? program.startedMs) - program.startedMs;
    if (signal === 0) this.#end(program, { kind: "exited", code: (status >> 8) & 0xff, elapsedMs });
    else this.#end(program, { kind: "signalled", code: signal, elapsedMs });
    // Its running children are children of this process now.
    this.#orphans.scheduleBy(systemClock.monotonic() + reapIntervalMs);
  }

  #end(program: Program, how: Pick<ProgramEnding, "kind" | "code" | "elapsedMs">): void {
    const { id, stdout, stderr, pidfd } = program;
    this.#programs.delete(id);
    stdout.close();
    stderr.close();
    this.#libc.close(pidfd);
    const truncated = stdout.truncated || stderr.truncated;
    this.#queueEnding({ ...how, id, stdout: stdout.bytes(), stderr: stderr.bytes(), truncated });
  }

  /** Queues an ending; it is sent at once when no other program is running. */
  #queueEnding(ending: ProgramEnding): void {
    this.#endings.ending(ending);
    this.#queuedEndings += 1;
    if (this.#queuedEndings === 1) this.#sendAtMs = systemClock.monotonic() + maxEndingDelayMs;
    if (this.#queuedEndings >= endingBatch || this.#programs.size === 0) this.#sendAtMs = 0;
  }

  /** Sends queued endings without waiting, so that a parent that does not read cannot delay deadlines. */
  #sendEndings(): void {
    const bytes = this.#libc.send(this.#fd, this.#endings.peek());
    if (bytes > 0) this.#onSent(bytes);
    else if (this.#libc.errno() !== constants.errno.EAGAIN && this.#libc.errno() !== constants.errno.EINTR)
      this.#exit();
  }

  #onSent(bytes: number): void {
    this.#endings.sent(bytes);
    if (!this.#endings.empty) return;
    this.#queuedEndings = 0;
    this.#sendAtMs = Number.POSITIVE_INFINITY;
  }

  /** Kills all programs and exits, after the parent has closed the socket. */
  #exit(): never {
    for (const program of this.#programs.values()) this.#killAll(program);
    this.#strays.finish();
    process.exit(0);
  }
}
