import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { never } from "@realmwatch/shared/model/never";
import { refOf } from "@realmwatch/shared/model/object-key";
import { errorText } from "@realmwatch/shared/platform/error-text";
import type { Log } from "@realmwatch/shared/platform/log/log";
import { openEventLog, type ReadHistoryAfter } from "../log/event-log.ts";
import type { MetricLog } from "../log/metric-log.ts";
import { openMetricLogFile } from "../log/open-metric-log-file.ts";
import { type NumberedSample, openSampleIntake } from "../log/sample-intake.ts";
import type { MetricEntry, SinkObject } from "../sink-entry.ts";
import type { SinkDependencies } from "../sink-type.ts";
import type { SamplesMessage, SinkThreadMessage, SinkThreadReport } from "./sink-protocol.ts";
import { SinkSet, type SinkStartPositions } from "./sink-set.ts";

type SinkHostOptions = {
  readonly dependencies: Omit<SinkDependencies, "stateDir" | "log">;
  readonly dataDir: string;
  readonly lastHistorySeq: number;
  readonly readAfter: ReadHistoryAfter;
  readonly report: (report: SinkThreadReport) => void;
  /** Size of the metric log at which its oldest blocks are deleted, bytes. Default: 1 GiB. */
  readonly maxLogBytes?: number | undefined;
};

/** Interval of the reports and of the deletion of what all sinks have delivered, ms. */
const reportMs = 500;
/** Longest time that points wait for others before they are written to the log as one block, ms. */
const blockMs = 50;
/** Number of objects, removed ones included, up to which removed objects are remembered. */
const maxKnownObjects = 500_000;
/** Number of points that are written to the log at once. */
const blockPoints = 4_096;

/** Runs the sinks in their own thread: records what they deliver, and executes the messages of the agent in order. */
export function openSinkHost({ dataDir, report, ...options }: SinkHostOptions): {
  receive(message: SinkThreadMessage): void;
} {
  const { clock, realm } = options.dependencies;
  const log = reportingLog(report);
  const stateDir = join(dataDir, "sinks");
  const intake = openSampleIntake();
  let objects = new Map<string, SinkObject>();
  let newObjects: Map<string, SinkObject> | undefined;
  let metrics: MetricLog | undefined;
  let takesMetrics = false;
  let collected: MetricEntry[] = [];
  /** Last command whose points are complete with `collected`, and last one that was reported as logged. */
  let commandSeq = 0;
  let loggedSeq = 0;
  let cancelBlock = (): void => {};
  let objectsComplete: PromiseWithResolvers<void> | undefined;
  let work: Promise<void> = Promise.resolve();
  let cancelReport = clock.after(reportMs, reportAndTrim);

  const events = openEventLog({
    readAfter: options.readAfter,
    lastSeq: options.lastHistorySeq,
    realm,
    object: (ref) => objects.get(ref),
    onFailure: (why) => log.error({ why }, "history cannot be read for the sinks"),
  });
  const metricLog = (): MetricLog =>
    (metrics ??= openMetricLogFile(join(stateDir, "metrics.db"), { clock, log, maxBytes: options.maxLogBytes }));
  const sinks = new SinkSet({
    dependencies: { ...options.dependencies, stateDir, log },
    dataDir,
    log,
    metrics: metricLog,
    events,
  });

  function makeStateDir(): void {
    try {
      mkdirSync(stateDir, { recursive: true, mode: 0o700 });
    } catch (error) {
      log.error(
        { why: (error as NodeJS.ErrnoException).code },
        "the folder of the sinks cannot be made in the data directory",
      );
    }
  }

  function writeBlock(): void {
    cancelBlock();
    cancelBlock = () => {};
    if (collected.length > 0) {
      metricLog().append(collected, clock.now(), commandSeq);
      collected = [];
      sinks.wake("metrics");
    }
    reportLogged();
  }

  /** Reports the commands whose points survive a kill; none while the disk does not take them. */
  function reportLogged(): void {
    if (collected.length > 0 || metrics?.isUnwritten() || commandSeq <= loggedSeq) return;
    loggedSeq = commandSeq;
    report({ kind: "logged", commandSeq });
  }

  function take(message: SamplesMessage): void {
    intake.define(message.objects);
    collect(message.json);
    commandSeq = Math.max(commandSeq, message.commandSeq);
    if (collected.length >= blockPoints) writeBlock();
    else reportLogged();
  }

  /** Writes the points of earlier commands that the log lacks, because the agent was killed before it had them. */
  function takeRecovered(recovered: readonly SamplesMessage[]): void {
    const logged = metrics?.commandSeq() ?? 0;
    for (const message of recovered) {
      intake.define(message.objects);
      if (message.commandSeq > logged) collect(message.json);
      commandSeq = Math.max(commandSeq, message.commandSeq);
    }
    writeBlock();
  }

  function collect(json: string): void {
    if (!takesMetrics) return;
    const entries = intake.entriesOf(JSON.parse(json) as NumberedSample[]);
    if (entries.length === 0) return;
    if (collected.length === 0) cancelBlock = clock.after(blockMs, writeBlock);
    collected = collected.length === 0 ? entries : collected.concat(entries);
  }

  function reportAndTrim(): void {
    cancelReport = clock.after(reportMs, reportAndTrim);
    if (metrics !== undefined) {
      metrics.retryWrites();
      reportLogged();
      metrics.deleteBelow(sinks.oldestMetric() ?? metrics.end());
    }
    report({ kind: "status", sinks: sinks.statuses(), diskBytes: metrics?.bytes() ?? 0 });
  }

  async function configure(
    { sinks: plans, needsObjects, firstObject }: MessageOf<"configure">,
    newFrom: SinkStartPositions,
  ): Promise<void> {
    intake.forgetBelow(firstObject);
    // Events of objects that are new in this configuration must meet their labels.
    if (needsObjects) await objectsComplete?.promise;
    if (plans.length > 0) makeStateDir();
    await sinks.configure(plans, newFrom);
    report({ kind: "configured" });
  }

  async function stop(graceMs: number): Promise<void> {
    cancelReport();
    writeBlock();
    await sinks.stop(graceMs);
    await options.dependencies.http.close();
    report({ kind: "status", sinks: [], diskBytes: 0 });
    metrics?.close();
    report({ kind: "stopped" });
  }

  function receiveObjects({ objects: some, last }: MessageOf<"objects">): void {
    newObjects ??= new Map();
    for (const object of some) newObjects.set(refOf(object.key), object);
    if (!last) return;
    // Objects that were removed keep their labels for the records about them that are still to be delivered.
    for (const [ref, object] of objects)
      if (newObjects.size < maxKnownObjects && !newObjects.has(ref)) newObjects.set(ref, object);
    objects = newObjects;
    newObjects = undefined;
    objectsComplete?.resolve();
  }

  const enqueue = (task: () => Promise<void>): void => {
    work = work.then(task).catch((error: unknown) => {
      log.error({ why: errorText(error) }, "a sink could not be configured");
    });
  };

  function receiveConfigure(message: MessageOf<"configure">): void {
    writeBlock();
    takesMetrics = message.sinks.some(({ input }) => input === "metrics");
    if (takesMetrics) {
      makeStateDir();
      metricLog();
    }
    // Before the recovered points: a sink whose cursor was not stored before a kill has to deliver them.
    const newFrom = { metrics: metrics?.end() ?? 0, events: events.end() };
    takeRecovered(message.recovered);
    objectsComplete = message.needsObjects ? Promise.withResolvers() : undefined;
    enqueue(() => configure(message, newFrom));
  }

  return {
    receive(message) {
      switch (message.kind) {
        case "samples":
          take(message);
          return report({ kind: "taken", points: message.points });
        case "history":
          events.advanced(message.lastSeq);
          return sinks.wake("events");
        case "configure":
          return receiveConfigure(message);
        case "objects":
          return receiveObjects(message);
        case "reopen":
          return enqueue(async () => sinks.reopen());
        case "stop":
          return enqueue(() => stop(message.graceMs));
        default:
          return never(message);
      }
    },
  };
}

type MessageOf<K extends SinkThreadMessage["kind"]> = Extract<SinkThreadMessage, { readonly kind: K }>;

/** Log whose lines the agent's thread writes. */
function reportingLog(report: (report: SinkThreadReport) => void): Pick<Log, "info" | "warn" | "error"> {
  const write =
    (level: "info" | "warn" | "error") =>
    (fields: object, text = ""): void =>
      report({ kind: "log", level, fields: fields as Readonly<Record<string, unknown>>, text });
  return { info: write("info"), warn: write("warn"), error: write("error") } as Pick<Log, "info" | "warn" | "error">;
}
