import type { Clock } from "@realmwatch/shared/model/clock";
import type { MetricLog } from "../log/metric-log.ts";
import { type NumberedSample, SampleIntake } from "../log/sample-intake.ts";
import type { MetricEntry } from "../sink-type.ts";
import type { MessageOf, SamplesMessage } from "./sink-protocol.ts";

type MetricCollectorOptions = {
  readonly clock: Clock;
  readonly openLog: () => MetricLog;
  /** Called when the log has new points. */
  readonly appended: () => void;
  /** Called with a command when the points of all commands up to it survive a kill. */
  readonly logged: (commandSeq: number) => void;
};

/** Longest time that points wait for others before they are written to the log as one block, ms. */
const blockMs = 50;
/** Number of points that are written to the log at once. */
const blockPoints = 4_096;

/** Collects points and writes them to the metric log as blocks. */
export class MetricCollector {
  readonly #options: MetricCollectorOptions;
  readonly #intake = new SampleIntake();
  #log: MetricLog | undefined;
  #takesMetrics = false;
  #entries: MetricEntry[] = [];
  /** Last command whose points are complete with `entries`, and last one that was reported as logged. */
  #commandSeq = 0;
  #loggedSeq = 0;
  #cancelBlock = (): void => {};

  constructor(options: MetricCollectorOptions) {
    this.#options = options;
  }

  /** Opens the log at the first call. */
  log(): MetricLog {
    this.#log ??= this.#options.openLog();
    return this.#log;
  }

  /** Size of the log on disk, bytes. */
  diskBytes(): number {
    return this.#log?.bytes() ?? 0;
  }

  /**
   * Begins or ceases to take points. Returns the position at which new sinks begin. The recovered points are after it: a
   * sink whose cursor was not stored before a kill has to deliver them.
   */
  configure({ sinks, firstObject, recovered }: MessageOf<"configure">): number {
    this.flush();
    this.#intake.forgetBelow(firstObject);
    this.#takesMetrics = sinks.some(({ input }) => input === "metrics");
    const log = this.#takesMetrics ? this.log() : this.#log;
    const newFrom = log?.end() ?? 0;
    const loggedSeq = log?.commandSeq() ?? 0;
    // The log lacks points of commands before which the agent was killed.
    for (const message of recovered) this.#collect(message, message.commandSeq > loggedSeq);
    this.flush();
    return newFrom;
  }

  take(message: SamplesMessage): void {
    this.#collect(message, true);
    if (this.#entries.length >= blockPoints) this.flush();
    else this.#reportLogged();
  }

  /** Writes the collected points. */
  flush(): void {
    this.#cancelBlock();
    if (this.#entries.length > 0) {
      this.log().append(this.#entries, this.#options.clock.now(), this.#commandSeq);
      this.#entries = [];
      this.#options.appended();
    }
    this.#reportLogged();
  }

  /** Repeats failed writes, and deletes what is before a position; everything without one. */
  trim(oldest: number | undefined): void {
    if (this.#log === undefined) return;
    this.#log.retryWrites();
    this.#reportLogged();
    this.#log.deleteBelow(oldest ?? this.#log.end());
  }

  close(): void {
    this.#log?.close();
  }

  #collect({ objects, json, commandSeq }: SamplesMessage, isNew: boolean): void {
    this.#intake.define(objects);
    this.#commandSeq = Math.max(this.#commandSeq, commandSeq);
    const entries = isNew && this.#takesMetrics ? this.#intake.entriesOf(JSON.parse(json) as NumberedSample[]) : [];
    if (entries.length === 0) return;
    if (this.#entries.length === 0) this.#cancelBlock = this.#options.clock.after(blockMs, () => this.flush());
    this.#entries = this.#entries.length === 0 ? entries : this.#entries.concat(entries);
  }

  /** Reports the commands whose points survive a kill; none while the disk does not take them. */
  #reportLogged(): void {
    if (this.#entries.length > 0 || this.#log?.isUnwritten() || this.#commandSeq <= this.#loggedSeq) return;
    this.#loggedSeq = this.#commandSeq;
    this.#options.logged(this.#commandSeq);
  }
}
