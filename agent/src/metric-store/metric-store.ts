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

/** Recent performance data of an agent's objects, in a database of its own. Methods never reject. */
export type MetricStore = {
  /**
   * Records the performance data of a result. Later results of an object that have the same time are ignored. Never
   * waits: when the disk is too slow, points are dropped and counted.
   */
  record(result: { readonly ref: string; readonly atMs: number; readonly perfdata: readonly PerfPoint[] }): void;
  /** Forgets an object that was removed from the configuration; its points remain until they are too old. */
  forget(ref: string): void;
  /** Metrics of an object that have points. `unavailable`: the store cannot be read. */
  metricsOf(ref: string): Promise<Result<readonly MetricLabel[], Refusal>>;
  /** Points of a metric, averaged over steps; all of them when `stepMs` is 0. */
  points(query: PointQuery): Promise<Result<readonly StoredMetric[], Refusal>>;
  health(): MetricStoreHealth;
  close(): Promise<void>;
};

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
  return ok({ store: storeOver(started.value.client, options), movedTo: started.value.opening });
}

function storeOver(
  thread: ThreadClient<MetricStoreHandlers>,
  { clock, onWriteState = () => {} }: MetricStoreOptions,
): MetricStore {
  const batch = new PointBatch();
  let [recorded, dropped, pendingAppends] = [0, 0, 0];
  let size = { bytes: 0, series: 0 };
  let error = "";
  let cancelSend: (() => void) | undefined;
  let cancelMaintenance = clock.after(maintenanceIntervalMs, maintain);

  function setError(next: string): void {
    if ((next === "") !== (error === "")) onWriteState(next);
    error = next;
  }

  const failed = (cause: unknown): void => setError(errorText(cause));

  function send(): void {
    cancelSend?.();
    cancelSend = undefined;
    if (batch.size === 0) return;
    pendingAppends += 1;
    thread
      .request("append", batch.take())
      .then(() => setError(""), failed)
      .finally(() => {
        pendingAppends -= 1;
      });
  }

  function maintain(): void {
    thread
      .request("maintain", clock.now())
      .then((found) => {
        size = found;
      }, failed)
      .finally(() => {
        cancelMaintenance = clock.after(maintenanceIntervalMs, maintain);
      });
  }

  async function read<T>(request: () => Promise<T>): Promise<Result<T, Refusal>> {
    // Requests are served in order, so a query finds everything that was recorded before it.
    send();
    try {
      return ok(await request());
    } catch (cause) {
      const why = errorText(cause);
      return fail({ kind: "unavailable", what: `the store of metrics cannot be read: ${why}` });
    }
  }

  return {
    record({ ref, atMs, perfdata }) {
      if (pendingAppends >= maxPendingAppends) {
        dropped += perfdata.length;
        return;
      }
      recorded += batch.add(ref, atMs, perfdata);
      if (batch.isFull) send();
      else cancelSend ??= clock.after(sendIntervalMs, send);
    },
    forget: (ref) => batch.forget(ref),
    metricsOf: (ref) => read(() => thread.request("metrics", ref)),
    async points(query) {
      const found = await read(() => thread.request("points", query));
      if (!found.ok) return found;
      return ok(
        found.value.map(({ uom, times, values }) => ({
          uom,
          points: Array.from(times, (atMs, at) => ({ atMs, value: values[at] as number })),
        })),
      );
    },
    health: () => ({ error, ...size, recorded, dropped }),
    async close() {
      cancelMaintenance();
      send();
      await thread.request("close").catch(() => {});
      await thread.terminate();
    },
  };
}
