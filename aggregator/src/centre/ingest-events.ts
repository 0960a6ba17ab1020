import type { Clock } from "@realmwatch/shared/model/clock";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { IngestEvents } from "../ingest/ingest.ts";
import type { AggregatorMetrics } from "./aggregator-metrics.ts";
import type { LivenessTracker } from "./liveness-tracker.ts";
import type { SharedStore } from "./shared-store.ts";

export type IngestEventOptions = {
  readonly clock: Clock;
  readonly log: Pick<Log, "info" | "warn">;
  readonly liveness: LivenessTracker;
  readonly metrics: AggregatorMetrics;
  readonly sharedStore: () => SharedStore | undefined;
};

const warnAgainAfterMs = 60_000;
const mostWarnings = 1_000;

/** Handles the callbacks of ingest: liveness, metrics and log. */
export function ingestEvents({ clock, log, liveness, metrics, sharedStore }: IngestEventOptions): IngestEvents & {
  /** Allows the warnings about unlisted realms again, after a reload. */
  reset(): void;
} {
  const unlisted = new Set<string>();
  const warnedMs = new Map<string, number>();
  /** Rate limit of warnings: true when `what` was not logged within the last minute, so floods do not fill the log. */
  function isDue(what: string): boolean {
    const nowMs = clock.monotonic();
    const last = warnedMs.get(what);
    if (last !== undefined && nowMs - last < warnAgainAfterMs) return false;
    if (warnedMs.size >= mostWarnings) warnedMs.clear();
    warnedMs.set(what, nowMs);
    return true;
  }
  return {
    onHeartbeat(heartbeat) {
      const realmLiveness = liveness.onHeartbeat(heartbeat);
      sharedStore()?.storeLiveness(heartbeat.realm, realmLiveness);
    },
    onRejected(rejection) {
      metrics.rejected(rejection);
      if (isDue(`${rejection.realm} ${rejection.reason}`)) log.warn(rejection, "ingest: a message was rejected");
    },
    onUnlisted(realm) {
      metrics.unlisted();
      if (!unlisted.has(realm) && unlisted.size < mostWarnings) {
        unlisted.add(realm);
        log.warn({ realm }, "a realm publishes that the realms document does not list; it is ignored");
      }
      // The skipped message would be missing when the realm is listed later, so its stored data is deleted.
      if (isDue(`unlisted ${realm}`)) sharedStore()?.forget(realm);
    },
    onWritten: (batch) => metrics.written(batch),
    onStored(realm, atMs) {
      if (sharedStore() === undefined) liveness.onMessageStored(realm, atMs);
    },
    reset: () => unlisted.clear(),
  };
}
