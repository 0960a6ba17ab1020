import type { ProgramPorts } from "../api/program-ports.ts";
import { type Clock, waitAtMost } from "../model/clock.ts";
import { fail, type Result } from "../model/result.ts";
import { errorText } from "../platform/error-text.ts";
import type { Log } from "../platform/log/log.ts";
import { startWorkerThread, type ThreadClient } from "../platform/process/thread-client.ts";

export type PortAddress = Pick<ProgramPorts, "address" | "port" | "url">;

/** Functions of a port's thread that its host calls. */
export type HostedPort = {
  /** Takes a sign of life of the engine, with the reason why it counts as hung. */
  heartbeat(livenessError: string | undefined): void;
  /** Opens the port. Fails with a sentence of one line. */
  listen(): Promise<Result<PortAddress, string>>;
  reloadCertificate(): void;
  /** Closes the port; requests have `graceMs` to end. */
  close(graceMs: number): Promise<void>;
};

/** Number of a thread of the port, and arguments with which it opens the address of the one before it. */
type PortThreadStart = { readonly number: number; readonly listenArguments: readonly string[] };

/** The program that a port serves; `Functions` are those of its port's thread. */
type ServedProgram<Functions extends HostedPort> = {
  /** Module of the port's thread. */
  readonly module: URL;
  /** Work of the program that goes on without the port, for a log message: `checks and notifications`. */
  readonly unaffected: string;
  /** Functions that the port may call. */
  readonly engine: object;
  /** Data that a thread starts with. */
  startData(start: PortThreadStart): object;
  /** Begins to feed a thread. Resolves when the thread has what it needs to open the port; rejects when it has ended. */
  feed(port: ThreadClient<Functions>): Promise<void>;
  /** Called when the thread that was fed last has ended. */
  feedEnded(): void;
  livenessError(): string | undefined;
};

type PortHostOptions = { readonly clock: Clock; readonly log: Pick<Log, "info" | "error"> };

/** Interval of the engine's signs of life, and time without an answer after which the port counts as hung, ms. */
const [heartbeatMs, hungAfterMs] = [1_000, 10_000];
/** Time after which the port is started again, and that a thread has to close beside the grace of its requests, ms. */
const [restartMs, closeMs] = [500, 2_000];

/**
 * Runs the port of a program in a thread of its own, so that no request delays what the program does besides. A thread
 * that ends or hangs is replaced by one that is fed anew.
 */
export class PortHost<Functions extends HostedPort> {
  readonly #clock: Clock;
  readonly #log: Pick<Log, "info" | "error">;
  #program: ServedProgram<Functions> | undefined;
  /** Address of the last opened port, which a further thread opens again. */
  #address: PortAddress | undefined;
  #thread: ThreadClient<HostedPort> | undefined;
  #starts = 0;
  #restarts = 0;
  #isClosing = false;
  /** True while a thread is started: there is never a second one, which would keep the address of the first. */
  #isStarting = false;
  #isRestartPlanned = false;
  #answeredAtMs = 0;
  /** Time of the last sign of life. */
  #beatAtMs = 0;
  #cancelHeartbeat = (): void => {};

  constructor({ clock, log }: PortHostOptions) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Number of threads that were replaced. */
  get restarts(): number {
    return this.#restarts;
  }

  /** Thread of the port; undefined while it is started again. */
  get thread(): ThreadClient<Functions> | undefined {
    return this.#thread as ThreadClient<Functions> | undefined;
  }

  /** Opens the port. Fails with a sentence of one line. */
  async open(program: ServedProgram<Functions>): Promise<Result<PortAddress, string>> {
    const opened = await this.#startThread(program);
    if (!opened.ok) return opened;
    this.#program = program;
    this.#heartbeat(program);
    return opened;
  }

  reloadCertificate(): void {
    this.#thread?.tell("reloadCertificate");
  }

  /** Closes the port; requests have `graceMs` to end. A thread that hangs does not keep the program from ending. */
  async close(graceMs: number): Promise<void> {
    this.#isClosing = true;
    this.#cancelHeartbeat();
    const thread = this.#thread;
    if (thread === undefined) return;
    await waitAtMost(this.#clock, graceMs + closeMs, thread.request("close", graceMs)).catch(() => {});
    this.#program?.feedEnded();
    await thread.terminate();
  }

  async #startThread(program: ServedProgram<Functions>): Promise<Result<PortAddress, string>> {
    this.#isStarting = true;
    try {
      return await this.#startAndListen(program);
    } finally {
      this.#isStarting = false;
    }
  }

  async #startAndListen(program: ServedProgram<Functions>): Promise<Result<PortAddress, string>> {
    this.#starts += 1;
    const started = await startWorkerThread<undefined, HostedPort>(
      program.module,
      program.startData({ number: this.#starts, listenArguments: this.#listenArguments() }),
      { own: program.engine, onEnd: (why) => this.#replace(program, why) },
    );
    if (!started.ok) return started;
    const thread = started.value.client;
    if (this.#isClosing) await thread.terminate();
    if (this.#isClosing) return fail("the program ends");
    this.#thread = thread;
    this.#answeredAtMs = this.#clock.monotonic();
    try {
      await program.feed(thread as ThreadClient<Functions>);
      const listening = await thread.request("listen");
      // It may have been replaced while it was opened.
      if (this.#thread !== thread) return fail("the port has ended while it was opened");
      if (listening.ok) this.#address = listening.value;
      else await this.#endThread(program, thread);
      return listening;
    } catch (error) {
      await this.#endThread(program, thread);
      return fail(errorText(error));
    }
  }

  /** Arguments with which a port that the system chose stays the same. */
  #listenArguments(): readonly string[] {
    if (this.#address === undefined) return [];
    const { address, port } = this.#address;
    return [`-listen=${address.includes(":") ? `[${address}]` : address}:${port}`];
  }

  async #endThread(program: ServedProgram<Functions>, thread: ThreadClient<HostedPort>): Promise<void> {
    if (this.#thread === thread) {
      this.#thread = undefined;
      program.feedEnded();
    }
    await thread.terminate();
  }

  #replace(program: ServedProgram<Functions>, why: string): void {
    const thread = this.#thread;
    if (this.#isClosing || thread === undefined) return;
    this.#log.error({ why }, `the port has ended and is started again; ${program.unaffected} go on`);
    this.#restarts += 1;
    void this.#endThread(program, thread);
    this.#planRestart();
  }

  #planRestart(): void {
    if (this.#isRestartPlanned) return;
    this.#isRestartPlanned = true;
    this.#clock.after(restartMs, () => {
      this.#isRestartPlanned = false;
      void this.#restart();
    });
  }

  async #restart(): Promise<void> {
    // A start that is under way plans the next one itself when it fails.
    if (this.#isClosing || this.#program === undefined || this.#isStarting || this.#thread !== undefined) return;
    const opened = await this.#startThread(this.#program);
    if (opened.ok) return this.#log.info({ port: opened.value.port }, "the port is open again");
    this.#log.error({ why: opened.error }, "the port cannot be opened again yet");
    this.#planRestart();
  }

  /** Does not count time in which the whole process stood still, as after SIGSTOP, as silence of the thread. */
  #discountStandstill(): void {
    const nowMs = this.#clock.monotonic();
    const lateMs = nowMs - this.#beatAtMs - heartbeatMs;
    if (this.#beatAtMs > 0 && lateMs > heartbeatMs) this.#answeredAtMs += lateMs;
    this.#beatAtMs = nowMs;
  }

  /** Sends signs of life, and replaces a thread that does not answer them. */
  #heartbeat(program: ServedProgram<Functions>): void {
    const clock = this.#clock;
    const thread = this.#thread;
    this.#discountStandstill();
    if (thread !== undefined) {
      if (clock.monotonic() - this.#answeredAtMs > hungAfterMs) this.#replace(program, "it has not answered for 10 s");
      else
        thread
          .request("heartbeat", program.livenessError())
          .then(() => {
            this.#answeredAtMs = clock.monotonic();
          })
          .catch(() => {});
    }
    this.#cancelHeartbeat = clock.after(heartbeatMs, () => this.#heartbeat(program));
  }
}
