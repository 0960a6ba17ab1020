import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { refOf } from "@realmwatch/shared/model/object-key";
import type { Log } from "@realmwatch/shared/platform/log/log";
import { openEventLog, type ReadHistoryAfter } from "../log/event-log.ts";
import type { MetricLog } from "../log/metric-log.ts";
import { openMetricLogFile } from "../log/open-metric-log-file.ts";
import { type NumberedSample, openSampleIntake } from "../log/sample-intake.ts";
import type { MetricEntry, SinkObject } from "../sink-entry.ts";
import type { SinkDependencies } from "../sink-type.ts";
import type { SinkThreadMessage, SinkThreadReport } from "./sink-protocol.ts";
import { SinkSet } from "./sink-set.ts";

export type SinkHostOptions = {
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
    if (collected.length === 0) return;
    metricLog().append(collected, clock.now());
    collected = [];
    sinks.wake("metrics");
  }

  function collect(json: string): void {
    if (!takesMetrics) return;
    const entries = intake.entriesOf(JSON.parse(json) as NumberedSample[]);
    if (entries.length === 0) return;
    if (collected.length === 0) cancelBlock = clock.after(blockMs, writeBlock);
    collected = collected.length === 0 ? entries : collected.concat(entries);
    if (collected.length >= blockPoints) writeBlock();
  }

  function reportAndTrim(): void {
    cancelReport = clock.after(reportMs, reportAndTrim);
    if (metrics !== undefined) {
      metrics.retryWrites();
      metrics.deleteBelow(sinks.oldestMetric() ?? metrics.end());
    }
    report({ kind: "status", sinks: sinks.statuses(), diskBytes: metrics?.bytes() ?? 0 });
  }

  async function configure({ sinks: plans, needsObjects, firstObject }: MessageOf<"configure">): Promise<void> {
    intake.forgetBelow(firstObject);
    // Events of objects that are new in this configuration must meet their labels.
    if (needsObjects) await objectsComplete?.promise;
    if (plans.length > 0) makeStateDir();
    await sinks.configure(plans);
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
      log.error({ why: error instanceof Error ? error.message : String(error) }, "a sink could not be configured");
    });
  };

  return {
    receive(message) {
      switch (message.kind) {
        case "samples":
          intake.define(message.objects);
          collect(message.json);
          return report({ kind: "taken", points: message.points });
        case "history":
          events.advanced(message.lastSeq);
          return sinks.wake("events");
        case "configure":
          writeBlock();
          takesMetrics = message.sinks.some(({ input }) => input === "metrics");
          if (takesMetrics) {
            makeStateDir();
            metricLog();
          }
          objectsComplete = message.needsObjects ? Promise.withResolvers() : undefined;
          return enqueue(() => configure(message));
        case "objects":
          return receiveObjects(message);
        case "reopen":
          return enqueue(async () => sinks.reopen());
        case "stop":
          return enqueue(() => stop(message.graceMs));
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
