import { isDeepStrictEqual } from "node:util";
import type { SinkPlan } from "@realmwatch/shared/config/plan";
import type { Log } from "@realmwatch/shared/platform/log/log";
import { matchesSelector, parseSelector } from "@realmwatch/shared/text/selector/selector";
import type { EntrySource } from "../log/entry-source.ts";
import type { SinkHealth, SinkStatus } from "../runner/sink-health.ts";
import { SinkRunner } from "../runner/sink-runner.ts";
import type { EventEntry, MetricEntry, SinkBatch, SinkDependencies, SinkObject } from "../sink-type.ts";
import { openSinkWriter } from "../sink-types.ts";
import { openSinkCursor, type SharedPositions } from "./sink-cursors.ts";

type SinkSetOptions = {
  readonly dependencies: SinkDependencies;
  readonly dataDir: string;
  /** Undefined for an agent without a pair. */
  readonly shared: SharedPositions | undefined;
  readonly log: Pick<Log, "info" | "warn" | "error">;
  readonly metrics: () => EntrySource<MetricEntry>;
  readonly events: EntrySource<EventEntry>;
};

type RunningSink = { readonly plan: SinkPlan; readonly runner: SinkRunner };

/** Ends of both logs at the time of a configuration: where sinks that are new in it begin. */
export type SinkStartPositions = Readonly<Record<SinkPlan["input"], number>>;

type SinkStart = {
  /** Position of the sink before its configuration changed. */
  readonly position: number | undefined;
  /** Position at which it begins without an earlier one. */
  readonly newFrom: number;
  /** Health before its configuration changed. */
  readonly earlier: SinkHealth | undefined;
};

/** Time that an attempt in progress has to end when its sink is reconfigured, ms. */
const reconfigureGraceMs = 10_000;

/** The sinks that run, by name. Calls of `configure` and `stop` must not overlap. */
export class SinkSet {
  readonly #options: SinkSetOptions;
  readonly #sinks = new Map<string, RunningSink>();
  /** Least position in the metric log of a sink that is about to start; undefined while none is. */
  #reservedMetric: number | undefined;

  constructor(options: SinkSetOptions) {
    this.#options = options;
  }

  /**
   * Replaces the sinks. An unchanged one goes on; a changed one goes on where it was. A new one begins at `newFrom`,
   * because others may take seconds to stop, and entries of that time are new to it.
   */
  async configure(plans: readonly SinkPlan[], newFrom: SinkStartPositions): Promise<void> {
    this.#reservedMetric = newFrom.metrics;
    const wanted = new Map(plans.map((plan) => [plan.name, plan]));
    const changed = [...this.#sinks.values()].filter(({ plan }) => !isDeepStrictEqual(wanted.get(plan.name), plan));
    const stopped = new Map(changed.map((sink) => [sink.plan.name, sink]));
    await Promise.all(
      changed.map(async ({ plan, runner }) => {
        await runner.stop({ flush: !wanted.has(plan.name), graceMs: reconfigureGraceMs });
        this.#sinks.delete(plan.name);
        if (plan.input === "metrics" && wanted.has(plan.name)) this.#reserveMetric(runner.position);
      }),
    );
    for (const plan of plans) {
      if (this.#sinks.has(plan.name)) continue;
      const earlier = stopped.get(plan.name);
      const position = earlier?.plan.input === plan.input ? earlier.runner.position : undefined;
      const from = { position, newFrom: newFrom[plan.input], earlier: earlier?.runner.health };
      this.#sinks.set(plan.name, { plan, runner: this.#start(plan, from) });
    }
    this.#reservedMetric = undefined;
  }

  #reserveMetric(position: number): void {
    this.#reservedMetric = Math.min(position, this.#reservedMetric ?? position);
  }

  /** Announces new entries. */
  wake(input: SinkPlan["input"]): void {
    for (const { plan, runner } of this.#sinks.values()) if (plan.input === input) runner.wake();
  }

  reopen(): void {
    for (const { runner } of this.#sinks.values()) runner.reopen();
  }

  statuses(): SinkStatus[] {
    return [...this.#sinks.values()].map(({ runner }) => runner.status());
  }

  /** Position of the oldest metric that a sink has yet to deliver; undefined when no sink takes metrics. */
  oldestMetric(): number | undefined {
    const positions = [...this.#sinks.values()].flatMap(({ plan, runner }) =>
      plan.input === "metrics" ? [runner.position] : [],
    );
    if (this.#reservedMetric !== undefined) positions.push(this.#reservedMetric);
    return positions.length === 0 ? undefined : Math.min(...positions);
  }

  /** Stops all sinks after one more attempt to deliver what waits. */
  async stop(graceMs: number): Promise<void> {
    await Promise.all([...this.#sinks.values()].map(({ runner }) => runner.stop({ flush: true, graceMs })));
    this.#sinks.clear();
  }

  #start(plan: SinkPlan, from: SinkStart): SinkRunner {
    const { dependencies, dataDir, shared, log, metrics, events } = this.#options;
    const { name, input, batchSize, flushIntervalMs } = plan;
    const source: EntrySource<MetricEntry | EventEntry> = input === "metrics" ? metrics() : events;
    const onFailure = (why: string): void => log.error({ sink: name, why }, "sink has no usable cursor");
    const cursor = openSinkCursor(plan, { dataDir, shared, onFailure });
    const stored = from.position ?? cursor.stored(input);
    const position = stored === undefined ? from.newFrom : stored > source.end() ? source.start() : stored;
    if (stored !== undefined && stored > source.end())
      log.warn({ sink: name }, "sink has delivered more than its log contains; it begins at the oldest entry");
    cursor.save(input, position);
    return new SinkRunner({
      ...dependencies,
      name,
      batchSize,
      flushIntervalMs,
      log,
      position,
      source,
      earlier: from.earlier,
      matches: matcherOf(plan.selector, dependencies.realm),
      // The source of an input has entries of that input only.
      batchOf: (entries) => ({ input, entries }) as SinkBatch,
      writer: openSinkWriter(plan, dependencies),
      saveCursor: (at) => cursor.save(input, at),
    });
  }
}

/** Tests whether a selector matches the object of an entry. A record about the whole realm matches only an empty one. */
function matcherOf(text: string, realm: string): (entry: { readonly object: SinkObject | undefined }) => boolean {
  const parsed = text === "" ? undefined : parseSelector(text);
  if (parsed === undefined || !parsed.ok) return () => true;
  const known = new WeakMap<SinkObject, boolean>();
  return ({ object }) => {
    if (object === undefined) return false;
    const before = known.get(object);
    if (before !== undefined) return before;
    const matches = matchesSelector(parsed.value, {
      ...object,
      ...{ realm, status: "pending", cause: "", dependsOn: [] },
    });
    known.set(object, matches);
    return matches;
  };
}
