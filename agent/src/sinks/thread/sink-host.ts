import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { repeat } from "@realmwatch/shared/model/clock";
import { never } from "@realmwatch/shared/model/never";
import { errorText } from "@realmwatch/shared/platform/error-text";
import type { Log } from "@realmwatch/shared/platform/log/log";
import { type EventLog, openEventLog, type ReadHistoryAfter } from "../log/event-log.ts";
import { openMetricLogFile } from "../log/open-metric-log-file.ts";
import type { SinkDependencies } from "../sink-type.ts";
import { MetricCollector } from "./metric-collector.ts";
import type { SharedPositions } from "./sink-cursors.ts";
import { SinkObjects } from "./sink-objects.ts";
import type { MessageOf, SinkThreadData, SinkThreadMessage, SinkThreadReport } from "./sink-protocol.ts";
import { SinkRight } from "./sink-right.ts";
import { SinkSet, type SinkStartPositions } from "./sink-set.ts";

type SinkHostOptions = Pick<SinkThreadData, "longestActionMs" | "eventPositions" | "dataDir" | "lastHistorySeq"> & {
  readonly dependencies: Omit<SinkDependencies, "stateDir" | "log" | "right">;
  readonly readAfter: ReadHistoryAfter;
  readonly report: (report: SinkThreadReport) => void;
  /** Size of the metric log at which its oldest blocks are deleted, bytes. Default: 1 GiB. */
  readonly maxLogBytes?: number | undefined;
};

/** Interval of the reports and of the deletion of what all sinks have delivered, ms. */
const reportMs = 500;

/** Runs the sinks in their own thread: records what they deliver, and executes the messages of the agent in order. */
export class SinkHost {
  readonly #options: SinkHostOptions;
  readonly #log: SinkLog;
  readonly #stateDir: string;
  readonly #objects = new SinkObjects();
  readonly #events: EventLog;
  readonly #metrics: MetricCollector;
  readonly #sinks: SinkSet;
  /** Undefined for an agent without a pair. */
  readonly #right: SinkRight | undefined;
  #work: Promise<void> = Promise.resolve();
  readonly #stopReports: () => void;

  constructor(options: SinkHostOptions) {
    const { dataDir, report, readAfter, lastHistorySeq: lastSeq, dependencies, maxLogBytes: maxBytes } = options;
    const { clock, realm } = dependencies;
    const stateDir = join(dataDir, "sinks");
    const log = reportingLog(report);
    this.#options = options;
    this.#log = log;
    this.#stateDir = stateDir;
    this.#right = openRight(options);
    this.#events = openEventLog({
      ...{ readAfter, lastSeq, realm },
      object: (ref) => this.#objects.get(ref),
      onFailure: (why) => log.error({ why }, "history cannot be read for the sinks"),
    });
    this.#metrics = new MetricCollector({
      clock,
      openLog: () => openMetricLogFile(join(stateDir, "metrics.db"), { clock, log, maxBytes }),
      appended: () => this.#sinks.wake("metrics"),
      logged: (commandSeq) => report({ kind: "logged", commandSeq }),
    });
    this.#sinks = new SinkSet({
      dependencies: { ...dependencies, stateDir, log, right: this.#right },
      ...{ dataDir, log, metrics: () => this.#metrics.log(), events: this.#events },
      shared: openSharedPositions(options),
    });
    this.#stopReports = repeat(clock, reportMs, () => this.#report());
  }

  receive(message: SinkThreadMessage): void {
    switch (message.kind) {
      case "samples":
        this.#metrics.take(message);
        return this.#options.report({ kind: "taken", points: message.points });
      case "history":
        this.#events.advanced(message.lastSeq);
        return this.#sinks.wake("events");
      case "configure":
        return this.#configure(message);
      case "objects":
        return this.#objects.receive(message.objects, message.last);
      case "right":
        return this.#right?.answered(message.remainingMs);
      case "right_gained":
        return this.#right?.gained();
      case "reopen":
        return this.#enqueue(async () => this.#sinks.reopen());
      case "stop":
        return this.#enqueue(() => this.#stop(message.graceMs));
      default:
        return never(message);
    }
  }

  #enqueue(task: () => Promise<void>): void {
    this.#work = this.#work.then(task).catch((error: unknown) => {
      this.#log.error({ why: errorText(error) }, "a sink could not be configured");
    });
  }

  #configure(message: MessageOf<"configure">): void {
    const { sinks, needsObjects } = message;
    if (sinks.length > 0) this.#makeStateDir();
    const newFrom: SinkStartPositions = { metrics: this.#metrics.configure(message), events: this.#events.end() };
    // Events of objects that are new in this configuration must meet their labels.
    const hasObjects = this.#objects.expect(needsObjects);
    this.#enqueue(async () => {
      await hasObjects;
      await this.#sinks.configure(sinks, newFrom);
      this.#options.report({ kind: "configured" });
    });
  }

  #makeStateDir(): void {
    try {
      mkdirSync(this.#stateDir, { recursive: true, mode: 0o700 });
    } catch (error) {
      const why = (error as NodeJS.ErrnoException).code;
      this.#log.error({ why }, "the folder of the sinks cannot be made in the data directory");
    }
  }

  #report(): void {
    this.#metrics.trim(this.#sinks.oldestMetric());
    const diskBytes = this.#metrics.diskBytes();
    this.#options.report({ kind: "status", sinks: this.#sinks.statuses(), diskBytes });
  }

  async #stop(graceMs: number): Promise<void> {
    const { dependencies, report } = this.#options;
    this.#stopReports();
    this.#metrics.flush();
    await this.#sinks.stop(graceMs);
    await dependencies.http.close();
    report({ kind: "status", sinks: [], diskBytes: 0 });
    this.#metrics.close();
    report({ kind: "stopped" });
  }
}

function openRight({ longestActionMs, dependencies, report }: SinkHostOptions): SinkRight | undefined {
  if (longestActionMs === undefined) return undefined;
  return new SinkRight({ clock: dependencies.clock, longestActionMs, ask: () => report({ kind: "right_wanted" }) });
}

/** Positions of events, each of which is reported when it changes. */
function openSharedPositions({ eventPositions, report }: SinkHostOptions): SharedPositions | undefined {
  if (eventPositions === undefined) return undefined;
  const positions = new Map(eventPositions);
  return {
    get: (sink) => positions.get(sink),
    set(sink, position) {
      if (positions.get(sink) !== position) report({ kind: "delivered", sink, position });
      positions.set(sink, position);
    },
  };
}

type SinkLog = Pick<Log, "info" | "warn" | "error">;

/** Log whose lines the agent's thread writes. */
function reportingLog(report: (report: SinkThreadReport) => void): SinkLog {
  const write =
    (level: "info" | "warn" | "error") =>
    (fields: object, text = ""): void =>
      report({ kind: "log", level, fields: fields as Readonly<Record<string, unknown>>, text });
  return { info: write("info"), warn: write("warn"), error: write("error") } as SinkLog;
}
