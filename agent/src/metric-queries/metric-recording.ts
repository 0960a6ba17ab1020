import type { RealmPlan } from "@realmwatch/shared/config/plan";
import type { Clock } from "@realmwatch/shared/model/clock";
import { refOf } from "@realmwatch/shared/model/object-key";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { Metrics } from "@realmwatch/shared/platform/metrics/metrics";
import type { RowChange } from "@realmwatch/shared/row/row";
import { type MetricStore, openMetricStore } from "../metric-store/metric-store.ts";
import type { PerfdataSample } from "../realm/outputs/perfdata-sample.ts";

type MetricRecordingOptions = {
  readonly dataDir: string;
  readonly retentionMs: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
};

/** Recording of performance data for `local` datasources, which runs while the configuration has one. */
export type MetricRecording = {
  perfdataReceived(samples: readonly PerfdataSample[]): void;
  /** Forgets objects that were removed. */
  rowsChanged(changes: readonly { readonly change: RowChange }[]): void;
  /** Starts the recording when the plan has a `local` datasource, and stops it when it has none. */
  configure(plan: Pick<RealmPlan, "datasources">): Promise<void>;
  /** The store; undefined while nothing is recorded. */
  store(): MetricStore | undefined;
  close(): Promise<void>;
};

/** Greatest size of the recorded points, bytes. */
const maxBytes = 4 * 1024 ** 3;

export function openMetricRecording(options: MetricRecordingOptions): MetricRecording {
  const { dataDir, retentionMs, clock, log, metrics } = options;
  let store: MetricStore | undefined;
  let changing: Promise<void> = Promise.resolve();

  async function open(): Promise<void> {
    const opened = await openMetricStore({
      ...{ dataDir, retentionMs, maxBytes, clock },
      onWriteState(error) {
        if (error === "") log.info("the store of metrics accepts writes again");
        else log.error({ why: error }, "the store of metrics accepts no writes; the newest points wait in memory");
      },
    });
    if (!opened.ok) return log.error({ why: opened.error }, "the store of metrics cannot be opened");
    const { movedTo } = opened.value;
    if (movedTo !== undefined)
      log.error({ movedTo }, "the store of metrics is damaged and was moved away; an empty one is used");
    store = opened.value.store;
  }

  async function apply({ datasources }: Pick<RealmPlan, "datasources">): Promise<void> {
    const isNeeded = datasources.some(({ type }) => type === "local");
    if (isNeeded && store === undefined) await open();
    if (isNeeded || store === undefined) return;
    const unneeded = store;
    store = undefined;
    await unneeded.close();
  }

  const gauge = (name: string, help: string, read: (of: MetricStore) => number): void =>
    metrics.observableGauge(name, help, () => (store === undefined ? 0 : read(store)));
  gauge("metric_store_bytes", "Size of the recorded performance data on disk.", (of) => of.health().bytes);
  gauge("metric_store_series", "Series of performance data that are being recorded.", (of) => of.health().series);
  gauge(
    "metric_store_writable",
    "1 while recorded performance data can be stored, and 0 without a local datasource.",
    (of) => Number(of.health().error === ""),
  );
  metrics.counter({
    name: "metric_store_points_total",
    help: "Points of performance data recorded, or dropped because the disk did not keep up.",
    labels: ["outcome"],
    collect(counter) {
      const { recorded = 0, dropped = 0 } = store?.health() ?? {};
      counter.reset();
      counter.inc({ outcome: "recorded" }, recorded);
      counter.inc({ outcome: "dropped" }, dropped);
    },
  });

  return {
    perfdataReceived(samples) {
      if (store === undefined) return;
      for (const { about, atMs, perfdata } of samples)
        if (perfdata.length > 0) store.record({ ref: refOf(about.key), atMs, perfdata });
    },
    rowsChanged(changes) {
      if (store === undefined) return;
      for (const { change } of changes) if (change.kind === "drop") store.forget(refOf(change.key));
    },
    configure(plan) {
      changing = changing.then(() => apply(plan));
      return changing;
    },
    store: () => store,
    async close() {
      await changing;
      await store?.close();
      store = undefined;
    },
  };
}
