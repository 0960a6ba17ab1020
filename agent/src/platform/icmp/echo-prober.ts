import { closeSync, writeSync } from "node:fs";
import { Worker } from "node:worker_threads";
import type { Clock } from "@realmwatch/shared/model/clock";
import { SlotTable } from "@realmwatch/shared/platform/slot-table";
import { openBatch } from "../batch.ts";
import { isLibcSupported } from "../libc/known-libc.ts";
import type { EchoRoundRequest, EchoRoundResult, FromEchoWorker, ToEchoWorker } from "./echo-protocol.ts";

/** Sends echoes (ICMP, ICMPv6), thousands of rounds at a time, without occupying the caller's thread. */
export interface EchoProber {
  /** Sends a round of echoes. Answers at the latest when the round's timeout has passed; never rejects. */
  probe(round: Omit<EchoRoundRequest, "id">): Promise<EchoRoundResult>;
  /** Ends its thread. Rounds under way are `unavailable`. */
  close(): Promise<void>;
}

/** After a thread that died, rounds are `unavailable` for so long, ms. */
const restMs = 10_000;
/** How much longer than a round's timeout its result may take, ms. */
const patienceMs = 2_000;

/** This module is .ts in the source tree and .js when built; the worker's is the same. */
const extension = import.meta.url.slice(import.meta.url.lastIndexOf("."));
const workerFile = new URL(`./echo-worker${extension}`, import.meta.url);
const wakeUp = Buffer.from(new BigUint64Array([1n]).buffer);
const unavailable: EchoRoundResult = { kind: "unavailable" };

/** A prober whose thread starts with the first round. */
export function openEchoProber({ clock }: { readonly clock: Clock }): EchoProber {
  let thread: EchoThread | undefined;
  let restUntilMs = 0;
  let closed = !isLibcSupported();

  function thriving(): EchoThread | undefined {
    if (closed || clock.monotonic() < restUntilMs) return undefined;
    thread ??= new EchoThread(clock, () => {
      thread = undefined;
      restUntilMs = clock.monotonic() + restMs;
    });
    return thread;
  }

  return {
    probe: (round) => thriving()?.probe(round) ?? Promise.resolve(unavailable),
    async close() {
      closed = true;
      await thread?.end();
    },
  };
}

type Waiting = { readonly done: (result: EchoRoundResult) => void; readonly cancelTimer: () => void };

/** One living worker thread. Once it is gone everything it had is `unavailable`. */
class EchoThread {
  readonly #clock: Clock;
  readonly #worker: Worker;
  readonly #gone: Promise<void>;
  /** The slot is the round's id: it has one result, so that none can be taken for another's. */
  readonly #waiting = new SlotTable<Waiting>();
  readonly #request = openBatch<EchoRoundRequest>((rounds) => this.#post({ rounds }));
  #wakeFd: number | undefined;
  #fds: readonly number[] = [];

  constructor(clock: Clock, gone: () => void) {
    this.#clock = clock;
    this.#worker = new Worker(workerFile, {
      name: "echo",
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 },
    });
    this.#worker.on("message", (message: FromEchoWorker) => {
      if (message.kind === "ready") ({ wakeFd: this.#wakeFd, fds: this.#fds } = message);
      else for (const [id, result] of message.results) this.#finish(id, result);
    });
    // What went wrong is told by its end.
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
      const overdue = (): void => void this.#worker.terminate();
      const cancelTimer = this.#clock.after(round.timeoutMs + patienceMs, overdue);
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
