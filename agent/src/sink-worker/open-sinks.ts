import { isDeepStrictEqual } from "node:util";
import { Worker } from "node:worker_threads";
import type { RealmPlan } from "@realmwatch/shared/config/plan";
import type { Catalog } from "@realmwatch/shared/model/catalog";
import { type Clock, sleep } from "@realmwatch/shared/model/clock";
import { never } from "@realmwatch/shared/model/never";
import { errorText } from "@realmwatch/shared/platform/error-text";
import { idGenerator } from "@realmwatch/shared/platform/id-generator";
import type { Log } from "@realmwatch/shared/platform/log/log";
import { entryModule } from "@realmwatch/shared/platform/process/entry-module";
import { cleanUpAtExit } from "@realmwatch/shared/platform/process/exit-cleanups";
import { killMarkedNow } from "../platform/programs/marked-processes.ts";
import type { SinkStatus } from "../sinks/runner/sink-health.ts";
import { type FedSample, openSampleFeed, type SampleFeed, sinkObjectOf } from "../sinks/thread/sample-feed.ts";
import type { SinkThreadData, SinkThreadMessage, SinkThreadReport } from "../sinks/thread/sink-protocol.ts";
import { withSinkProgress } from "./sink-catalog.ts";

type SinksOptions = Omit<SinkThreadData, "programMark"> & {
  readonly clock: Clock;
  readonly log: Log;
};

/** The sinks of an agent, which run in a thread of their own. No method blocks or throws. */
export type Sinks = {
  /** `commandSeq`: last command whose points are complete with these; 0 for no further one. */
  perfdataReceived(samples: readonly FedSample[], commandSeq: number): void;
  /** Last command that need not be kept for the sinks: its points are in their log. */
  takenCommandSeq(): number;
  historyAdvanced(lastSeq: number): void;
  /**
   * Starts or changes the sinks as a plan has them. Resolves when they run. `recovered`: samples of commands before the
   * start that the log may lack. Default: none.
   */
  configure(plan: RealmPlan, recovered?: readonly CommandSamples[]): Promise<void>;
  /** Opens files by their names again. */
  reopen(): void;
  statuses(): readonly SinkStatus[];
  /** Adds the progress of the sinks to a catalog. */
  withProgress(catalog: Catalog): Catalog;
  /** Calls a listener after each report of the sinks that differs from the one before. */
  onStatus(listener: (statuses: readonly SinkStatus[]) => void): void;
  /** Size of the log of performance data on disk, bytes. */
  diskBytes(): number;
  /** Number of points that were dropped because the thread did not keep up. */
  droppedPoints(): number;
  /** Delivers what waits, at most `graceMs` long. */
  close(graceMs: number): Promise<void>;
};

/** Objects in one message, so that the calling thread is never busy for long. */
const objectsPerMessage = 1_000;
/** Delay of a new thread after one failed, ms. */
const restartMs = 5_000;

/** Maximum number of commands that are kept for a thread that does not keep up. */
const maxKeptCommands = 5_000;

/** Samples of a command that was applied before the start. */
export type CommandSamples = { readonly samples: readonly FedSample[]; readonly commandSeq: number };

type SinkThread = { readonly worker: Worker; readonly feed: SampleFeed };

/** Opens the sinks. The thread is started with the first plan that declares a sink. */
export function openSinks({ clock, log, ...data }: SinksOptions): Sinks {
  const programMark = `${idGenerator(clock)()}.`;
  // Also when the thread did not close its programs in time: one that does not read learns of no end.
  const endPrograms = (): number => killMarkedNow([programMark]);
  let cancelEnd = (): void => {};
  let lastSeq = data.lastHistorySeq;
  let thread: SinkThread | undefined;
  let plan: RealmPlan | undefined;
  let statuses: readonly SinkStatus[] = [];
  let diskBytes = 0;
  let droppedBefore = 0;
  let configured: PromiseWithResolvers<void> | undefined;
  let stopped: PromiseWithResolvers<void> | undefined;
  let generation = 0;
  let takesMetrics = false;
  const listeners: ((statuses: readonly SinkStatus[]) => void)[] = [];

  /** Last command of which samples were received, and last one whose points are in the log. */
  let receivedSeq = 0;
  let loggedSeq = 0;

  const post = (message: SinkThreadMessage): void => thread?.worker.postMessage(message);

  function startThread(): void {
    cancelEnd();
    cancelEnd = cleanUpAtExit(endPrograms);
    const worker = new Worker(entryModule("sink-thread", import.meta.url), {
      workerData: { ...data, programMark, lastHistorySeq: lastSeq } satisfies SinkThreadData,
      name: "sinks",
    });
    worker.on("message", receive);
    worker.on("error", (error) => threadFailed(errorText(error)));
    worker.on("exit", (code) => threadFailed(`it ended with code ${code}`));
    thread = { worker, feed: openSampleFeed(clock, (message) => worker.postMessage(message)) };
  }

  function threadFailed(why: string): void {
    if (thread === undefined || stopped !== undefined) return stopped?.resolve();
    droppedBefore += thread.feed.dropped();
    thread = undefined;
    endPrograms();
    log.error({ why }, "the thread of the sinks failed and is started again");
    configured?.resolve();
    clock.after(restartMs, () => {
      if (stopped === undefined && plan !== undefined && thread === undefined) void apply(plan);
    });
  }

  function receive(report: SinkThreadReport): void {
    switch (report.kind) {
      case "taken":
        return thread?.feed.taken(report.points);
      case "logged":
        loggedSeq = report.commandSeq;
        return;
      case "status":
        diskBytes = report.diskBytes;
        if (isDeepStrictEqual(statuses, report.sinks)) return;
        statuses = report.sinks;
        for (const listener of listeners) listener(statuses);
        return;
      case "log":
        return log[report.level](report.fields, report.text);
      case "configured":
        return configured?.resolve();
      case "stopped":
        return stopped?.resolve();
      default:
        return never(report);
    }
  }

  async function apply(next: RealmPlan, recovered: readonly CommandSamples[] = []): Promise<void> {
    plan = next;
    const { sinks } = next;
    if (sinks.length === 0 && thread === undefined) return;
    if (thread === undefined) startThread();
    // Nothing was logged before for sinks that did not exist.
    if (!takesMetrics) loggedSeq = receivedSeq;
    takesMetrics = sinks.some(({ input }) => input === "metrics");
    generation += 1;
    const needsObjects = sinks.some(({ input, selector }) => input === "events" && selector !== "");
    configured = Promise.withResolvers();
    const done = configured.promise;
    const firstObject = thread?.feed.renumber() ?? 0;
    const messages = recovered.flatMap(({ samples, commandSeq }) => thread?.feed.messageOf(samples, commandSeq) ?? []);
    post({ kind: "configure", sinks, needsObjects, firstObject, recovered: messages });
    if (needsObjects) await sendObjects(next, generation);
    await done;
  }

  /** Sends the objects in slices, between which the calling thread does its other work. */
  async function sendObjects({ objects }: RealmPlan, own: number): Promise<void> {
    const all = [...objects.values()];
    for (let at = 0; at === 0 || at < all.length; at += objectsPerMessage) {
      // A later configuration sends a list of its own.
      if (own !== generation) return;
      const slice = all.slice(at, at + objectsPerMessage).map(({ about }) => sinkObjectOf(about));
      post({ kind: "objects", objects: slice, last: at + objectsPerMessage >= all.length });
      await sleep(clock, 0);
    }
  }

  return {
    perfdataReceived(samples, commandSeq) {
      receivedSeq = Math.max(receivedSeq, commandSeq);
      if (takesMetrics) thread?.feed.add(samples, commandSeq);
    },
    takenCommandSeq: () =>
      takesMetrics ? Math.max(loggedSeq, receivedSeq - maxKeptCommands) : Number.MAX_SAFE_INTEGER,
    historyAdvanced(seq) {
      lastSeq = seq;
      post({ kind: "history", lastSeq: seq });
    },
    configure: apply,
    reopen: () => post({ kind: "reopen" }),
    statuses: () => statuses,
    withProgress: (catalog) => withSinkProgress(catalog, statuses),
    onStatus: (listener) => void listeners.push(listener),
    diskBytes: () => diskBytes,
    droppedPoints: () => droppedBefore + (thread?.feed.dropped() ?? 0),
    async close(graceMs) {
      if (thread === undefined) return;
      stopped = Promise.withResolvers();
      const { worker, feed } = thread;
      feed.close();
      post({ kind: "stop", graceMs });
      const done = new AbortController();
      await Promise.race([stopped.promise, sleep(clock, graceMs + 2_000, done.signal)]);
      done.abort();
      await worker.terminate();
      cancelEnd();
      endPrograms();
    },
  };
}
