import { constants } from "node:os";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { type ProcessLibc, pollIn, pollOut } from "../libc/process-libc.ts";
import {
  decodeOrder,
  endingWithoutOutput,
  FrameReader,
  FrameWriter,
  type ProgramEnding,
  type StartOrder,
} from "./helper-frames.ts";
import { LeftoverProcesses, reapAfterMs, reapEveryMs } from "./leftover-processes.ts";
import { NativeSpawner, type StartedProgram } from "./native-spawner.ts";
import { outputGraceMs } from "./node-spawner.ts";

/** Programs started between two looks at what has ended: starting takes long enough to be late for those. */
const startsInOneGo = 4;
/**
 * Output is read as it comes only from programs that run longer than this, ms: most have ended before and are read
 * once. Their pipes hold 64 KiB until then.
 */
const unheardMs = 100;
/** Endings are told together: each message wakes the parent. So many at most, and none of them later than that, ms. */
const toldTogether = 6;
const tellWithinMs = 4;
/** Longest single wait of `poll`, ms. */
const longestWaitMs = 2 ** 31 - 1;

type Program = StartedProgram & {
  readonly id: number;
  readonly mark: string;
  readonly startedMs: number;
  /** From when on its output is waited for. */
  readonly heardFromMs: number;
  /** When it is killed, or what holds its output is. */
  deadlineMs: number;
  /** Set once it has ended while its output is held open. */
  endedMs: number | undefined;
};

/** What a descriptor of the poll set is. */
type Watched = { readonly program: Program; readonly what: "process" | "stdout" | "stderr" | "stdin" };

/**
 * A helper's whole life on the C library: one loop around `poll`, which never gives Node.js' own loop a turn. Ends the
 * process when the socket `fd` closes.
 *
 * @param markStart begins the marks of its programs
 */
export function runNativeHelper(libc: ProcessLibc, fd: number, markStart: string): never {
  libc.adoptOrphans();
  libc.keepDescriptors(fd);
  const helper = new NativeHelper(libc, fd, markStart);
  for (;;) helper.turn();
}

class NativeHelper {
  readonly #libc: ProcessLibc;
  readonly #fd: number;
  readonly #markStart: string;
  readonly #spawner: NativeSpawner;
  readonly #orders = new FrameReader();
  readonly #endings = new FrameWriter();
  #untold = 0;
  #tellAtMs = Number.POSITIVE_INFINITY;
  readonly #programs = new Map<number, Program>();
  readonly #leftBehind: LeftoverProcesses;
  readonly #watched: (Watched | undefined)[] = [];
  /** `struct pollfd`, two numbers each. */
  #set = new Int32Array(64);
  #count = 0;

  constructor(libc: ProcessLibc, fd: number, markStart: string) {
    this.#libc = libc;
    this.#fd = fd;
    this.#markStart = markStart;
    this.#spawner = new NativeSpawner(libc);
    this.#leftBehind = new LeftoverProcesses(libc);
  }

  turn(): void {
    const more = this.#takeOrders();
    const nowMs = systemClock.monotonic();
    this.#watch(nowMs, more);
    if (this.#libc.poll(this.#set, this.#count, more ? 0 : this.#waitMs(nowMs)) > 0) this.#serve();
    this.#keepTime(systemClock.monotonic());
  }

  /** Whether orders are left for the next turn. */
  #takeOrders(): boolean {
    for (let started = 0; started < startsInOneGo; ) {
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
      this.#leftBehind.reapBy(startedMs + reapAfterMs);
      return this.#say(endingWithoutOutput("not_started", id, started));
    }
    const mark = `${this.#markStart}${id}.`;
    this.#programs.set(id, {
      ...started,
      ...{ id, mark, startedMs, endedMs: undefined },
      heardFromMs: startedMs + unheardMs,
      deadlineMs: startedMs + timeoutMs,
    });
  }

  /** Builds the poll set anew: with at most 64 programs that costs less than keeping it. */
  #watch(nowMs: number, more: boolean): void {
    this.#count = 0;
    if (this.#set.length < 2 * (1 + 4 * this.#programs.size)) this.#set = new Int32Array(8 * this.#set.length);
    const telling = this.#tellAtMs <= nowMs;
    this.#add(this.#fd, (more ? 0 : pollIn) | (telling ? pollOut : 0), undefined);
    for (const program of this.#programs.values()) {
      const { stdin, stdout, stderr } = program;
      const heard = program.endedMs !== undefined || program.heardFromMs <= nowMs;
      if (program.endedMs === undefined) this.#add(program.pidfd, pollIn, { program, what: "process" });
      if (stdin !== undefined && stdin.fd >= 0) this.#add(stdin.fd, pollOut, { program, what: "stdin" });
      if (heard && stdout.fd >= 0) this.#add(stdout.fd, pollIn, { program, what: "stdout" });
      if (heard && stderr.fd >= 0) this.#add(stderr.fd, pollIn, { program, what: "stderr" });
    }
  }

  /** Fills one `struct pollfd`: the descriptor, then what is asked for and, in the upper half, what has happened. */
  #add(fd: number, events: number, watched: Watched | undefined): void {
    this.#set[2 * this.#count] = fd;
    this.#set[2 * this.#count + 1] = events;
    this.#watched[this.#count++] = watched;
  }

  #waitMs(nowMs: number): number {
    // Where what is to be told does not fit, the socket says when it does.
    let dueMs = this.#tellAtMs > nowMs ? Math.min(this.#tellAtMs, this.#leftBehind.dueMs) : this.#leftBehind.dueMs;
    for (const { deadlineMs, heardFromMs } of this.#programs.values()) {
      const nextMs = heardFromMs > nowMs ? Math.min(heardFromMs, deadlineMs) : deadlineMs;
      if (nextMs < dueMs) dueMs = nextMs;
    }
    return dueMs === Number.POSITIVE_INFINITY ? -1 : Math.min(Math.max(0, Math.ceil(dueMs - nowMs)), longestWaitMs);
  }

  #serve(): void {
    for (let index = 1; index < this.#count; index += 1) {
      const watched = this.#watched[index];
      if (watched === undefined || (this.#set[2 * index + 1] as number) >>> 16 === 0) continue;
      const { program, what } = watched;
      if (what === "process") this.#ended(program);
      else if (what === "stdin") program.stdin?.fill();
      else program[what].drain();
      if (program.endedMs !== undefined) this.#finishIfAllRead(program);
    }
    const happened = (this.#set[1] as number) >>> 16;
    if ((happened & ~pollOut) !== 0) this.#readOrders();
  }

  #readOrders(): void {
    const bytes = this.#libc.read(this.#fd, this.#orders.room());
    if (bytes > 0) this.#orders.took(bytes);
    else if (bytes === 0 || this.#libc.errno() !== constants.errno.EINTR) this.#leave();
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

  #keepTime(nowMs: number): void {
    for (const program of this.#programs.values()) {
      if (program.deadlineMs > nowMs) continue;
      if (program.endedMs === undefined) this.#kill(program, "timed_out");
      else this.#endGrace(program);
    }
    const killed = this.#leftBehind.runDue(nowMs, this.#programs.values());
    if (killed > 0) this.#say(endingWithoutOutput("strays", 0, killed));
    if (this.#tellAtMs <= nowMs) this.#tell();
  }

  /** A child of a program that has ended holds its output. What let go of it lives on: a handler may start a daemon. */
  #endGrace(program: Program): void {
    program.stdout.drain();
    // The program itself is not waited for yet: until then its group's number belongs to nobody else.
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
    this.#leftBehind.reapBy(nowMs + reapAfterMs);
  }

  #killAll({ pid, mark }: Program): void {
    this.#libc.killGroup(pid);
    this.#leftBehind.sweep(mark);
  }

  #finish(program: Program): void {
    const status = this.#libc.takeStatus(program.pid);
    const signal = status & 0x7f;
    const elapsedMs = (program.endedMs ?? program.startedMs) - program.startedMs;
    if (signal === 0) this.#end(program, { kind: "exited", code: (status >> 8) & 0xff, elapsedMs });
    else this.#end(program, { kind: "signalled", code: signal, elapsedMs });
    // What it left running is this process' child from now on.
    this.#leftBehind.reapBy(systemClock.monotonic() + reapEveryMs);
  }

  #end(program: Program, how: Pick<ProgramEnding, "kind" | "code" | "elapsedMs">): void {
    const { id, stdout, stderr, stdin, pidfd } = program;
    this.#programs.delete(id);
    stdout.close();
    stderr.close();
    stdin?.close();
    this.#libc.close(pidfd);
    const truncated = stdout.truncated || stderr.truncated;
    this.#say({ ...how, id, stdout: stdout.bytes(), stderr: stderr.bytes(), truncated });
  }

  /** Has it told at once where nothing else is going to end. */
  #say(ending: ProgramEnding): void {
    this.#endings.ending(ending);
    this.#untold += 1;
    if (this.#untold === 1) this.#tellAtMs = systemClock.monotonic() + tellWithinMs;
    if (this.#untold >= toldTogether || this.#programs.size === 0) this.#tellAtMs = 0;
  }

  /** Sends what fits: who does not read must not keep programs from their deadlines. */
  #tell(): void {
    const bytes = this.#libc.send(this.#fd, this.#endings.peek());
    if (bytes > 0) this.#told(bytes);
    else if (this.#libc.errno() !== constants.errno.EAGAIN && this.#libc.errno() !== constants.errno.EINTR)
      this.#leave();
  }

  #told(bytes: number): void {
    this.#endings.sent(bytes);
    if (!this.#endings.empty) return;
    this.#untold = 0;
    this.#tellAtMs = Number.POSITIVE_INFINITY;
  }

  /** Who asked is gone. */
  #leave(): never {
    for (const program of this.#programs.values()) this.#killAll(program);
    this.#leftBehind.killAllNow();
    process.exit(0);
  }
}
