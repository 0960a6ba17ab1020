import { monitorEventLoopDelay } from "node:perf_hooks";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

const prefix = "realmwatch_";

/**
 * `name`: without the prefix, with its unit, such as `rpc_duration_seconds`. Label values must be from a bounded set.
 */
type MetricSpec<L extends string> = {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly L[];
};
type CounterSpec<L extends string> = MetricSpec<L> & {
  /** Called before each scrape to set the counter to totals that are counted elsewhere. */
  readonly collect?: (counter: Counter<L>) => void;
};
type GaugeSpec<L extends string> = MetricSpec<L> & {
  /** Called before each scrape to set the gauge's current values. */
  readonly collect?: (gauge: Gauge<L>) => void | Promise<void>;
};
type HistogramSpec<L extends string> = MetricSpec<L> & {
  /** Upper bounds in the unit of the name, ascending. */
  readonly buckets: readonly number[];
};

/** Help and labels of counters, by name. */
type CounterTable = Readonly<Record<string, readonly [help: string, ...labels: string[]]>>;
type CountersOf<T extends CounterTable> = {
  readonly [Name in keyof T]: Counter<
    T[Name] extends readonly [string, ...infer L extends string[]] ? L[number] : never
  >;
};

type ObservedValue = { readonly labels: Readonly<Record<string, string>>; readonly value: number };
/** Metric with its present value or, with labels, at most one value for each set of them. */
type ObservedMetric = readonly [
  help: string,
  read: () => number | readonly ObservedValue[],
  ...labels: readonly string[],
];
/** Metrics by name. */
type ObservedTable = Readonly<Record<string, ObservedMetric>>;

/** Metrics of the process, in the Prometheus text format. */
export type Metrics = {
  counter<L extends string = never>(spec: CounterSpec<L>): Counter<L>;
  counters<const T extends CounterTable>(table: T): CountersOf<T>;
  gauge<L extends string = never>(spec: GaugeSpec<L>): Gauge<L>;
  histogram<L extends string = never>(spec: HistogramSpec<L>): Histogram<L>;
  /** Registers counters whose values another thread or module counts; they are read before each scrape. */
  observableCounters(table: ObservedTable): void;
  /** Registers gauges whose values are read before each scrape. */
  observableGauges(table: ObservedTable): void;
  render(): Promise<{ readonly contentType: string; readonly text: string }>;
  /** Stops the measurement of the event loop delay. */
  close(): void;
};

/** Opens a registry with process metrics, the event loop delay and `build_info`. */
export function openMetrics(build: { readonly version: string; readonly commit: string }): Metrics {
  const registry = new Registry();
  const metrics = metricsIn(registry);
  collectDefaultMetrics({ register: registry, prefix });
  for (const name of misnamedMetrics) registry.removeSingleMetric(prefix + name);
  metrics
    .gauge({
      name: "build_info",
      help: "Always 1, with the version of the program and the commit that it was built from as labels.",
      labels: ["version", "commit"],
    })
    .set(build, 1);
  metrics
    .gauge({ name: "start_time", help: "Unix time at which the program was started, in seconds." })
    .set(performance.timeOrigin / 1000);
  return { ...metrics, close: measureEventLoop(metrics, "event_loop_delay_seconds", "Event loop delay") };
}

/**
 * Opens the registry of a further thread with its event loop delay, `NAME_event_loop_delay_seconds`. What it renders is
 * a part of the process's metrics.
 */
export function openThreadMetrics(name: string): Metrics {
  const metrics = metricsIn(new Registry());
  const delay = `${name}_event_loop_delay_seconds`;
  return { ...metrics, close: measureEventLoop(metrics, delay, `Event loop delay of the thread of the ${name}`) };
}

function metricsIn(registry: Registry): Omit<Metrics, "close"> {
  const common = (spec: MetricSpec<string>) => ({
    name: prefix + spec.name,
    help: spec.help,
    labelNames: [...(spec.labels ?? [])],
    registers: [registry],
  });
  const metrics: Omit<Metrics, "close"> = {
    counter: (spec) => {
      const counter: Counter = new Counter({ ...common(spec), collect: () => spec.collect?.(counter) });
      return counter;
    },
    counters: <T extends CounterTable>(table: T) =>
      Object.fromEntries(
        Object.entries(table).map(([name, [help, ...labels]]) => [name, metrics.counter({ name, help, labels })]),
      ) as CountersOf<T>,
    gauge: (spec) => {
      const gauge: Gauge = new Gauge({ ...common(spec), collect: () => spec.collect?.(gauge) });
      return gauge;
    },
    histogram: (spec) => new Histogram({ ...common(spec), buckets: [...spec.buckets] }) as Histogram,
    observableCounters(table) {
      for (const { read, ...spec } of observedIn(table))
        metrics.counter({
          ...spec,
          collect(counter) {
            counter.reset();
            for (const { labels, value } of read()) counter.inc(labels, value);
          },
        });
    },
    observableGauges(table) {
      for (const { read, ...spec } of observedIn(table))
        metrics.gauge({
          ...spec,
          collect(gauge) {
            gauge.reset();
            for (const { labels, value } of read()) gauge.set(labels, value);
          },
        });
    },
    render: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
  return metrics;
}

const observedIn = (table: ObservedTable) =>
  Object.entries(table).map(([name, [help, read, ...labels]]) => ({
    ...{ name, help, labels },
    read(): readonly ObservedValue[] {
      const values = read();
      return typeof values === "number" ? [{ labels: {}, value: values }] : values;
    },
  }));

/** Gauges of the library with the ending of a counter. Gauges of the same name without it have the same numbers. */
const misnamedMetrics = [
  "nodejs_active_handles_total",
  "nodejs_active_requests_total",
  "nodejs_active_resources_total",
];

function measureEventLoop(metrics: Pick<Metrics, "gauge">, name: string, what: string): () => void {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  metrics.gauge({
    name,
    help: `${what} since the last scrape.`,
    labels: ["percentile"],
    collect(gauge) {
      for (const quantile of [0.5, 0.99, 1]) {
        // Nanoseconds; NaN while there is no measurement.
        const ns = quantile === 1 ? delay.max : delay.percentile(quantile * 100);
        gauge.set({ percentile: String(quantile * 100) }, delay.count > 0 ? ns / 1e9 : 0);
      }
      delay.reset();
    },
  });
  return () => void delay.disable();
}
