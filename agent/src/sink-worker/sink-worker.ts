import { Worker } from "node:worker_threads";
import { type Clock, waitAtMost } from "@realmwatch/shared/model/clock";
import { errorText } from "@realmwatch/shared/platform/error-text";
import { idGenerator } from "@realmwatch/shared/platform/id-generator";
import type { Log } from "@realmwatch/shared/platform/log/log";
import { entryModule } from "@realmwatch/shared/platform/process/entry-module";
import { cleanUpAtExit } from "@realmwatch/shared/platform/process/exit-cleanups";
import { killMarkedNow } from "../platform/programs/marked-processes.ts";
import type { RightToAct } from "../platform/right/right-to-act.ts";
import { SampleFeed } from "../sinks/thread/sample-feed.ts";
import type { SinkThreadData, SinkThreadMessage, SinkThreadReport } from "../sinks/thread/sink-protocol.ts";

/** Report about the sinks, not about their thread. */
export type SinkStateReport = Exclude<
  SinkThreadReport,
  { readonly kind: "taken" | "log" | "right_wanted" | "stopped" }
>;

type SinkWorkerOptions = {
  readonly data: Omit<SinkThreadData, "programMark" | "longestActionMs">;
  /** Right of a pair's member; undefined for an agent without a pair. */
  readonly right: RightToAct | undefined;
  readonly clock: Clock;
  readonly log: Pick<Log, "info" | "warn" | "error">;
  receive(report: SinkStateReport): void;
  /** Called once when the thread ended without `stop`. */
  failed(why: string): void;
};

/** The thread of the sinks, with the programs that it runs. */
export class SinkWorker {
  readonly feed: SampleFeed;
  readonly #options: SinkWorkerOptions;
  readonly #worker: Worker;
  readonly #programMark: string;
  readonly #cancelExitCleanup: () => void;
  readonly #stopCalls: () => void;
  readonly #stopped = Promise.withResolvers<void>();
  #hasEnded = false;

  /** Starts the thread. */
  constructor(options: SinkWorkerOptions) {
    const { data, clock, right } = options;
    this.#options = options;
    this.#programMark = `${idGenerator(clock)()}.`;
    const workerData: SinkThreadData = {
      ...data,
      programMark: this.#programMark,
      longestActionMs: right?.longestActionMs,
    };
    this.#worker = new Worker(entryModule("sink-thread", import.meta.url), { workerData, name: "sinks" });
    this.#worker.on("message", (report: SinkThreadReport) => this.#receive(report));
    this.#worker.on("error", (error) => this.#end(errorText(error)));
    this.#worker.on("exit", (code) => this.#end(`it ended with code ${code}`));
    this.#cancelExitCleanup = cleanUpAtExit(() => this.#killPrograms());
    this.#stopCalls = right?.onGained(() => this.post({ kind: "right_gained" })) ?? (() => {});
    this.feed = new SampleFeed(clock, (message) => this.post(message));
  }

  post(message: SinkThreadMessage): void {
    this.#worker.postMessage(message);
  }

  /** Delivers what waits, at most `graceMs` long, and ends the thread. */
  async stop(graceMs: number): Promise<void> {
    this.#hasEnded = true;
    this.feed.close();
    this.post({ kind: "stop", graceMs });
    await waitAtMost(this.#options.clock, graceMs + 2_000, this.#stopped.promise);
    await this.#worker.terminate();
    this.#killPrograms();
  }

  #receive(report: SinkThreadReport): void {
    if (report.kind === "taken") this.feed.taken(report.points);
    else if (report.kind === "log") this.#options.log[report.level](report.fields, report.text);
    else if (report.kind === "right_wanted") this.#answerRight();
    else if (report.kind === "stopped") this.#stopped.resolve();
    else this.#options.receive(report);
  }

  #answerRight(): void {
    this.post({ kind: "right", remainingMs: this.#options.right?.remainingMs() ?? Number.POSITIVE_INFINITY });
  }

  #end(why: string): void {
    this.#stopped.resolve();
    this.#stopCalls();
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#killPrograms();
    this.#options.failed(why);
  }

  /** Kills programs that the thread did not end: one that does not read its input does not notice the end of the agent. */
  #killPrograms(): void {
    this.#cancelExitCleanup();
    killMarkedNow([this.#programMark]);
  }
}
