import type { RealmPlan } from "@realmwatch/shared/config/plan";
import type { Clock } from "@realmwatch/shared/model/clock";
import { refOf } from "@realmwatch/shared/model/object-key";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { Metrics } from "@realmwatch/shared/platform/metrics/metrics";
import type { RowChange } from "@realmwatch/shared/row/row";
import type { PerfdataSample } from "./engine/perfdata-sample.ts";
import { type MetricStore, openMetricStore } from "./metric-store/metric-store.ts";

type MetricRecordingOptions = {
  readonly dataDir: string;
  readonly retentionMs: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
};

/** Greatest size of the recorded points, bytes. */
const maxBytes = 4 * 1024 ** 3;

/** Recording of performance data for `local` datasources, which runs while the configuration has one. */
export class MetricRecording {
  readonly #options: MetricRecordingOptions;
  #store: MetricStore | undefined;
  #changing: Promise<void> = Promise.resolve();

  constructor(options: MetricRecordingOptions) {
    this.#options = options;
    registerMetrics(options.metrics, () => this.#store?.health());
  }

  /** The store; undefined while nothing is recorded. */
  readonly store = (): MetricStore | undefined => this.#store;

  perfdataReceived(samples: readonly PerfdataSample[]): void {
    if (this.#store === undefined) return;
    for (const { about, atMs, perfdata } of samples)
      if (perfdata.length > 0) this.#store.record({ ref: refOf(about.key), atMs, perfdata });
  }

  /** Forgets objects that were removed. */
  rowsChanged(changes: readonly { readonly change: RowChange }[]): void {
    if (this.#store === undefined) return;
    for (const { change } of changes) if (change.kind === "drop") this.#store.forget(refOf(change.key));
  }

  /** Starts the recording when the plan has a `local` datasource, and stops it when it has none. */
  configure(plan: Pick<RealmPlan, "datasources">): Promise<void> {
    this.#changing = this.#changing.then(() => this.#apply(plan));
    return this.#changing;
  }

  async close(): Promise<void> {
    await this.#changing;
    await this.#store?.close();
    this.#store = undefined;
  }

  async #apply({ datasources }: Pick<RealmPlan, "datasources">): Promise<void> {
    const isNeeded = datasources.some(({ type }) => type === "local");
    if (isNeeded && this.#store === undefined) await this.#open();
    if (isNeeded || this.#store === undefined) return;
    const unneeded = this.#store;
    this.#store = undefined;
    await unneeded.close();
  }

  async #open(): Promise<void> {
    const { dataDir, retentionMs, clock, log } = this.#options;
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
    this.#store = opened.value.store;
  }
}

/** Registers the metrics of the store, which are 0 while `health` is undefined. */
function registerMetrics(metrics: Metrics, health: () => ReturnType<MetricStore["health"]> | undefined): void {
  metrics.observableGauges({
    metric_store_bytes: ["Size of the recorded performance data on disk.", () => health()?.bytes ?? 0],
    metric_store_series: ["Series of performance data that are being recorded.", () => health()?.series ?? 0],
    metric_store_writable: [
      "1 while recorded performance data can be stored, and 0 without a local datasource.",
      () => Number(health()?.error === ""),
    ],
  });
  metrics.observableCounters({
    metric_store_points_total: [
      "Points of performance data recorded, or dropped because the disk did not keep up.",
      () =>
        (["recorded", "dropped"] as const).map((outcome) => ({ labels: { outcome }, value: health()?.[outcome] ?? 0 })),
      "outcome",
    ],
  });
}
