import { isDeepStrictEqual } from "node:util";
import type { AcceptedCommand } from "@realmwatch/shared/commands/commands";
import type { RealmPlan } from "@realmwatch/shared/config/plan";
import { type Clock, sleep } from "@realmwatch/shared/model/clock";
import { never } from "@realmwatch/shared/model/never";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { PerfdataSample } from "../engine/perfdata-sample.ts";
import type { RightToAct } from "../platform/right/right-to-act.ts";
import type { SinkStatus } from "../sinks/runner/sink-health.ts";
import { sinkObjectOf } from "../sinks/thread/sample-feed.ts";
import type { SinkThreadData } from "../sinks/thread/sink-protocol.ts";
import { type SinkStateReport, SinkWorker } from "./sink-worker.ts";

type SinksOptions = Omit<SinkThreadData, "programMark" | "longestActionMs" | "eventPositions"> & {
  /** Positions of events that both members of a pair know; undefined for an agent without a pair. */
  readonly shared?: SharedEventPositions | undefined;
  /** Right of a pair's member; undefined for an agent without a pair. */
  readonly right?: RightToAct | undefined;
  readonly clock: Clock;
  readonly log: Pick<Log, "info" | "warn" | "error">;
};

/** Next event of each sink with a cursor, for the other member of a pair. */
type SharedEventPositions = {
  readonly positions: ReadonlyMap<string, number>;
  /** Stores the position of a sink. */
  store(sink: string, position: number): void;
};

/** Objects in one message, so that the calling thread is never busy for long. */
const objectsPerMessage = 1_000;
/** Delay of a new thread after one failed, ms. */
const restartMs = 5_000;

/** Maximum number of commands that are kept for a thread that does not keep up. */
const maxKeptCommands = 5_000;

/** Samples of a command that was applied before the start. */
type CommandSamples = { readonly samples: readonly PerfdataSample[]; readonly commandSeq: number };

/**
 * The sinks of an agent, which run in a thread of their own. It is started with the first plan that declares a sink. No
 * method blocks or throws.
 */
export class Sinks {
  readonly #options: SinksOptions;
  readonly #listeners: ((statuses: readonly SinkStatus[]) => void)[] = [];
  #worker: SinkWorker | undefined;
  #plan: RealmPlan | undefined;
  #takesMetrics = false;
  #statuses: readonly SinkStatus[] = [];
  #diskBytes = 0;
  #droppedBefore = 0;
  #lastHistorySeq: number;
  readonly #eventPositions: Map<string, number> | undefined;
  /** Last command of which samples were received, and last one whose points are in the log. */
  #receivedSeq = 0;
  #loggedSeq = 0;
  /** Resolved when the thread has applied the last configuration, or failed. */
  #configured = Promise.withResolvers<void>();
  #cancelRestart = (): void => {};

  constructor(options: SinksOptions) {
    this.#options = options;
    this.#lastHistorySeq = options.lastHistorySeq;
    this.#eventPositions = options.shared && new Map(options.shared.positions);
  }

  /** @param commandSeq last command whose points are complete with these; 0 for no further one */
  perfdataReceived(samples: readonly PerfdataSample[], commandSeq: number): void {
    this.#receivedSeq = Math.max(this.#receivedSeq, commandSeq);
    if (this.#takesMetrics) this.#worker?.feed.add(samples, commandSeq);
  }

  /** Last command that need not be kept for the sinks: its points are in their log. */
  takenCommandSeq(): number {
    if (!this.#takesMetrics) return Number.MAX_SAFE_INTEGER;
    return Math.max(this.#loggedSeq, this.#receivedSeq - maxKeptCommands);
  }

  historyAdvanced(lastSeq: number): void {
    this.#lastHistorySeq = lastSeq;
    this.#worker?.post({ kind: "history", lastSeq });
  }

  /**
   * Starts or changes the sinks as a plan has them. Resolves when they run. `recovered`: samples of commands before the
   * start that the log may lack. Default: none.
   */
  async configure(plan: RealmPlan, recovered: readonly CommandSamples[] = []): Promise<void> {
    this.#plan = plan;
    const { sinks } = plan;
    if (sinks.length === 0 && this.#worker === undefined) return;
    this.#worker ??= this.#startWorker();
    const { feed } = this.#worker;
    // Without a sink of metrics no samples are logged, so those received before count as logged.
    if (!this.#takesMetrics) this.#loggedSeq = this.#receivedSeq;
    this.#takesMetrics = sinks.some(({ input }) => input === "metrics");
    const needsObjects = sinks.some(({ input, selector }) => input === "events" && selector !== "");
    const configured = Promise.withResolvers<void>();
    this.#configured = configured;
    const firstObject = feed.renumber();
    const messages = recovered.map(({ samples, commandSeq }) => feed.messageOf(samples, commandSeq));
    this.#worker.post({ kind: "configure", sinks, needsObjects, firstObject, recovered: messages });
    if (needsObjects) await this.#sendObjects(this.#worker, plan, () => this.#configured === configured);
    await configured.promise;
  }

  /** Opens files by their names again. */
  reopen(): void {
    this.#worker?.post({ kind: "reopen" });
  }

  statuses(): readonly SinkStatus[] {
    return this.#statuses;
  }

  /** Calls a listener after each report of the sinks that differs from the one before. */
  onStatus(listener: (statuses: readonly SinkStatus[]) => void): void {
    this.#listeners.push(listener);
  }

  /** Size of the log of performance data on disk, bytes. */
  diskBytes(): number {
    return this.#diskBytes;
  }

  /** Number of points that were dropped because the thread did not keep up. */
  droppedPoints(): number {
    return this.#droppedBefore + (this.#worker?.feed.dropped() ?? 0);
  }

  /** Delivers what waits, at most `graceMs` long. */
  async close(graceMs: number): Promise<void> {
    this.#cancelRestart();
    await this.#worker?.stop(graceMs);
  }

  #startWorker(): SinkWorker {
    const { clock, log, right, shared: _, ...data } = this.#options;
    return new SinkWorker({
      data: { ...data, lastHistorySeq: this.#lastHistorySeq, eventPositions: this.#eventPositions },
      ...{ clock, log, right },
      receive: (report) => this.#receive(report),
      failed: (why) => this.#workerFailed(why),
    });
  }

  #workerFailed(why: string): void {
    const { clock, log } = this.#options;
    this.#droppedBefore = this.droppedPoints();
    this.#worker = undefined;
    log.error({ why }, "the thread of the sinks failed and is started again");
    this.#configured.resolve();
    this.#cancelRestart = clock.after(restartMs, () => {
      if (this.#plan !== undefined && this.#worker === undefined) void this.configure(this.#plan);
    });
  }

  #receive(report: SinkStateReport): void {
    switch (report.kind) {
      case "logged":
        this.#loggedSeq = report.commandSeq;
        return;
      case "delivered":
        this.#eventPositions?.set(report.sink, report.position);
        this.#options.shared?.store(report.sink, report.position);
        return;
      case "status":
        this.#diskBytes = report.diskBytes;
        if (isDeepStrictEqual(this.#statuses, report.sinks)) return;
        this.#statuses = report.sinks;
        for (const listener of this.#listeners) listener(this.#statuses);
        return;
      case "configured":
        return this.#configured.resolve();
      default:
        return never(report);
    }
  }

  /** Sends the objects in slices, between which the calling thread does its other work. */
  async #sendObjects(worker: SinkWorker, { objects }: RealmPlan, isCurrent: () => boolean): Promise<void> {
    const all = [...objects.values()];
    for (let at = 0; at === 0 || at < all.length; at += objectsPerMessage) {
      // A later configuration sends a list of its own.
      if (!isCurrent()) return;
      const slice = all.slice(at, at + objectsPerMessage).map(({ about }) => sinkObjectOf(about));
      worker.post({ kind: "objects", objects: slice, last: at + objectsPerMessage >= all.length });
      await sleep(this.#options.clock, 0);
    }
  }
}

/** Performance data of applied commands, of which the log of the sinks may lack the last ones after a kill. */
export const commandSamples = (
  commands: readonly AcceptedCommand[],
  { objects }: Pick<RealmPlan, "objects">,
): CommandSamples[] =>
  commands.map(({ seq, command }) => ({
    commandSeq: seq,
    samples:
      command.kind !== "process_check_results"
        ? []
        : command.results.flatMap(({ ref, executedAtMs, perfdata }) => {
            const about = objects.get(ref)?.about;
            return about === undefined || perfdata.length === 0 ? [] : [{ about, atMs: executedAtMs, perfdata }];
          }),
  }));
