import type { Catalog, SinkProgress } from "@realmwatch/shared/model/catalog";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { SinkStatus } from "../sinks/runner/sink-health.ts";

/** Adds the progress of the sinks to a catalog. */
export function withSinkProgress(catalog: Catalog, statuses: readonly SinkStatus[]): Catalog {
  if (statuses.length === 0) return catalog;
  const byName = new Map(statuses.map((status) => [status.name, progressOf(status)]));
  return { ...catalog, sinks: catalog.sinks.map((sink) => ({ ...sink, progress: byName.get(sink.name) })) };
}

const progressOf = ({ queued, lagMs, failingSinceMs, lastError, lastDeliveredMs }: SinkStatus): SinkProgress => ({
  ...{ queued, lagMs, failingSinceMs, lastError, lastDeliveredMs },
});

/** Longest time that an aggregator shows old progress of a sink that works, ms. */
const publishEveryMs = 60_000;
/** Shortest time between two publications, however often sinks begin and cease to fail, ms. */
const publishAtMostMs = 5_000;

/**
 * Decides which reports of the sinks are published to the aggregator: one when a sink begins or ceases to fail, and
 * otherwise one in a minute while something changes.
 */
export function sinkPublication(clock: Clock, publish: () => void): (statuses: readonly SinkStatus[]) => void {
  let publishedMs = -Infinity;
  let failing = "";
  let published = "";
  return (statuses) => {
    const nowMs = clock.monotonic();
    if (nowMs - publishedMs < publishAtMostMs) return;
    const failingNow = statuses.map(({ failingSinceMs, lastError }) => `${failingSinceMs} ${lastError}`).join("\n");
    if (failingNow === failing && nowMs - publishedMs < publishEveryMs) return;
    const now = JSON.stringify(statuses);
    if (now === published) return;
    [publishedMs, failing, published] = [nowMs, failingNow, now];
    publish();
  };
}
