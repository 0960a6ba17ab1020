import type { Clock } from "@realmwatch/shared/model/clock";
import type { PerfPoint } from "@realmwatch/shared/model/perfdata";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { errorText } from "@realmwatch/shared/platform/error-text";
import { entryModule } from "@realmwatch/shared/platform/process/entry-module";
import { startWorkerThread, type ThreadClient } from "@realmwatch/shared/platform/process/thread-client";
import type { MetricLabel, MetricWorkerData, PointQuery } from "./metric-store-protocol.ts";
import type { MetricStoreHandlers } from "./metric-store-thread.ts";
import { PointBatch } from "./point-batch.ts";

/** Points of a metric with one unit. */
type StoredMetric = {
  readonly uom: string;
  readonly points: readonly { readonly atMs: number; readonly value: number }[];
};

type MeasuredResult = { readonly ref: string; readonly atMs: number; readonly perfdata: readonly PerfPoint[] };

type MetricStoreHealth = {
  /** Reason of the last failed write; empty when it succeeded. */
  readonly error: string;
  /** Size of the stored points, bytes. */
  readonly bytes: number;
  readonly series: number;
  /** Points recorded and dropped since the start. */
  readonly recorded: number;
  readonly dropped: number;
};

export type MetricStoreOptions = MetricWorkerData & {
  readonly clock: Clock;
  /** Reports once that writes fail, with a sentence, and with an empty text that they succeed again. */
  onWriteState?(error: string): void;
};

/** Longest time for which points wait before they are sent to the thread, ms, and interval of maintenance. */
const [sendIntervalMs, maintenanceIntervalMs] = [250, 10_000];
/** Requests that may wait for the thread; each has at most some thousand points. */
const maxPendingAppends = 64;

/** Opens the store. Fails with a sentence when its file cannot be opened or is of a newer version. */
export async function openMetricStore(
  options: MetricStoreOptions,
): Promise<Result<{ readonly store: MetricStore; readonly movedTo: string | undefined }, string>> {
  const { dataDir, retentionMs, maxBytes } = options;
  const started = await startWorkerThread<string | undefined, MetricStoreHandlers>(
    entryModule("metric-store-thread", import.meta.url),
    { dataDir, retentionMs, maxBytes } satisfies MetricWorkerData,
  );
  if (!started.ok) return started;
  return ok({ store: new MetricStore(started.value.client, options), movedTo: started.value.opening });
}

/** Recent performance data of an agent's objects, in a database of its own. Methods never reject. */
export class MetricStore {
  readonly #thread: ThreadClient<MetricStoreHandlers>;
  readonly #options: MetricStoreOptions;
  readonly #batch = new PointBatch();
  #recorded = 0;
  #dropped = 0;
  #pendingAppends = 0;
  #size = { bytes: 0, series: 0 };
  #error = "";
  #cancelSend: (() => void) | undefined;
  #cancelMaintenance: () => void;

  constructor(thread: ThreadClient<MetricStoreHandlers>, options: MetricStoreOptions) {
    this.#thread = thread;
    this.#options = options;
    this.#cancelMaintenance = options.clock.after(maintenanceIntervalMs, this.#maintain);
  }

  /**
   * Records the performance data of a result. Later results of an object that have the same time are ignored. Never
   * waits: when the disk is too slow, points are dropped and counted.
   */
  record({ ref, atMs, perfdata }: MeasuredResult): void {
    if (this.#pendingAppends >= maxPendingAppends) {
      this.#dropped += perfdata.length;
      return;
    }
    this.#recorded += this.#batch.add(ref, atMs, perfdata);
    if (this.#batch.isFull) this.#send();
    else this.#cancelSend ??= this.#options.clock.after(sendIntervalMs, this.#send);
  }

  /** Forgets an object that was removed from the configuration; its points remain until they are too old. */
  forget(ref: string): void {
    this.#batch.forget(ref);
  }

  /** Metrics of an object that have points. `unavailable`: the store cannot be read. */
  metricsOf(ref: string): Promise<Result<readonly MetricLabel[], Refusal>> {
    return this.#read(() => this.#thread.request("metrics", ref));
  }

  /** Points of a metric, averaged over steps; all of them when `stepMs` is 0. */
  async points(query: PointQuery): Promise<Result<readonly StoredMetric[], Refusal>> {
    const found = await this.#read(() => this.#thread.request("points", query));
    if (!found.ok) return found;
    return ok(
      found.value.map(({ uom, times, values }) => ({
        uom,
        points: Array.from(times, (atMs, at) => ({ atMs, value: values[at] as number })),
      })),
    );
  }

  health(): MetricStoreHealth {
    return { error: this.#error, ...this.#size, recorded: this.#recorded, dropped: this.#dropped };
  }

  async close(): Promise<void> {
    this.#cancelMaintenance();
    this.#send();
    await this.#thread.request("close").catch(() => {});
    await this.#thread.terminate();
  }

  readonly #send = (): void => {
    this.#cancelSend?.();
    this.#cancelSend = undefined;
    if (this.#batch.size === 0) return;
    this.#pendingAppends += 1;
    this.#thread
      .request("append", this.#batch.take())
      .then(() => this.#setError(""), this.#failed)
      .finally(() => {
        this.#pendingAppends -= 1;
      });
  };

  readonly #maintain = (): void => {
    const { clock } = this.#options;
    this.#thread
      .request("maintain", clock.now())
      .then((found) => {
        this.#size = found;
      }, this.#failed)
      .finally(() => {
        this.#cancelMaintenance = clock.after(maintenanceIntervalMs, this.#maintain);
      });
  };

  readonly #failed = (cause: unknown): void => this.#setError(errorText(cause));

  #setError(next: string): void {
    if ((next === "") !== (this.#error === "")) this.#options.onWriteState?.(next);
    this.#error = next;
  }

  async #read<T>(request: () => Promise<T>): Promise<Result<T, Refusal>> {
    // Requests are served in order, so a query finds everything that was recorded before it.
    this.#send();
    try {
      return ok(await request());
    } catch (cause) {
      return fail({ kind: "unavailable", what: `the store of metrics cannot be read: ${errorText(cause)}` });
    }
  }
}
