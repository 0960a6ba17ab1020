import { closeSync, writeSync } from "node:fs";
import { Worker } from "node:worker_threads";
import type { Clock } from "@realmwatch/shared/model/clock";
import { entryModule } from "@realmwatch/shared/platform/process/entry-module";
import { SlotTable } from "@realmwatch/shared/platform/slot-table";
import { openBatch } from "../batch.ts";
import { isLibcSupported } from "../libc/libc.ts";
import type { EchoRoundRequest, EchoRoundResult, FromEchoWorker, ToEchoWorker } from "./echo-protocol.ts";

/** Sends ICMP and ICMPv6 echoes in a worker thread, thousands of rounds at a time. */
export type EchoProber = ReturnType<typeof openEchoProber>;

/** Time after a crash of the thread during which rounds are `unavailable`, ms. */
const restartDelayMs = 10_000;
/** Time after a round's timeout at which a missing result means that the thread hangs, ms. */
const hungAfterMs = 2_000;

const wakeUp = Buffer.from(new BigUint64Array([1n]).buffer);
const unavailable: EchoRoundResult = { kind: "unavailable" };

/** Opens a prober whose thread starts with the first round. */
export function openEchoProber({ clock }: { readonly clock: Clock }) {
  let thread: EchoThread | undefined;
  let restartAtMs = 0;
  let closed = !isLibcSupported();

  function currentThread(): EchoThread | undefined {
    if (closed || clock.monotonic() < restartAtMs) return undefined;
    thread ??= new EchoThread(clock, () => {
      thread = undefined;
      restartAtMs = clock.monotonic() + restartDelayMs;
    });
    return thread;
  }

  return {
    /** Sends a round of echoes. Resolves at the latest when the round's timeout has passed; never rejects. */
    probe: (round: Omit<EchoRoundRequest, "id">) => currentThread()?.probe(round) ?? Promise.resolve(unavailable),
    /** Ends the thread. Pending rounds become `unavailable`. */
    async close() {
      closed = true;
      await thread?.end();
    },
  };
}

type Waiting = { readonly done: (result: EchoRoundResult) => void; readonly cancelTimer: () => void };

/** One worker thread. When it exits, its pending rounds become `unavailable`. */
class EchoThread {
  readonly #clock: Clock;
  readonly #worker: Worker;
  readonly #gone: Promise<void>;
  /** Pending rounds; the slot is the round's id. */
  readonly #waiting = new SlotTable<Waiting>();
  readonly #request = openBatch<EchoRoundRequest>((rounds) => this.#post({ rounds }));
  #wakeFd: number | undefined;
  #fds: readonly number[] = [];

  constructor(clock: Clock, gone: () => void) {
    this.#clock = clock;
    this.#worker = new Worker(entryModule("echo-worker", import.meta.url), {
      name: "echo",
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 },
    });
    this.#worker.on("message", (message: FromEchoWorker) => {
      if (message.kind === "ready") ({ wakeFd: this.#wakeFd, fds: this.#fds } = message);
      else for (const [id, result] of message.results) this.#finish(id, result);
    });
    // "exit" follows an error and is handled below.
    this.#worker.on("error", () => {});
    this.#gone = new Promise((resolve) => {
      this.#worker.once("exit", () => {
        this.#wakeFd = undefined;
        for (const fd of this.#fds) closeSync(fd);
        gone();
        for (const waiting of this.#waiting.removeAll()) end(waiting, unavailable);
        resolve();
      });
    });
  }

  probe(round: Omit<EchoRoundRequest, "id">): Promise<EchoRoundResult> {
    return new Promise((done) => {
      const terminate = (): void => void this.#worker.terminate();
      const cancelTimer = this.#clock.after(round.timeoutMs + hungAfterMs, terminate);
      const id = this.#waiting.add({ done, cancelTimer });
      this.#request({ ...round, id });
    });
  }

  async end(): Promise<void> {
    this.#post("end");
    await this.#gone;
  }

  #post(message: ToEchoWorker): void {
    this.#worker.postMessage(message);
    if (this.#wakeFd !== undefined) writeSync(this.#wakeFd, wakeUp);
  }

  #finish(id: number, result: EchoRoundResult): void {
    const waiting = this.#waiting.remove(id);
    if (waiting !== undefined) end(waiting, result);
  }
}

function end({ done, cancelTimer }: Waiting, result: EchoRoundResult): void {
  cancelTimer();
  done(result);
}
