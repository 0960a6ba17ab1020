import type { Clock } from "@realmwatch/shared/model/clock";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { IngestEvents } from "../ingest/ingest.ts";
import type { AggregatorMetrics } from "./aggregator-metrics.ts";
import type { SharedStore } from "./shared-store.ts";
import type { LivenessTracker } from "./liveness-tracker.ts";

export type IngestEventOptions = {
  readonly clock: Clock;
  readonly log: Pick<Log, "info" | "warn">;
  readonly liveness: LivenessTracker;
  readonly metrics: AggregatorMetrics;
  readonly shared: () => SharedStore | undefined;
};

const warnAgainAfterMs = 60_000;
const mostWarnings = 1_000;

/** What becomes of everything that ingest tells. */
export function ingestEvents({ clock, log, liveness, metrics, shared }: IngestEventOptions): IngestEvents & {
  /** After a reload: what was told once may be told once more. */
  reset(): void;
} {
  const unlisted = new Set<string>();
  const warnedMs = new Map<string, number>();
  /** Whether it is time to say it again: whoever floods us does not flood the log too. */
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
      const sighting = liveness.onHeartbeat(heartbeat);
      shared()?.storeLiveness(heartbeat.realm, sighting);
    },
    onRejected(rejection) {
      metrics.rejected(rejection);
      if (isDue(`${rejection.realm} ${rejection.reason}`)) log.warn(rejection, "ingest: a message was not taken");
    },
    onUnlisted(realm) {
      metrics.unlisted();
      if (!unlisted.has(realm) && unlisted.size < mostWarnings) {
        unlisted.add(realm);
        log.warn({ realm }, "a realm publishes that the realms document does not list; it is ignored");
      }
      // What is passed over here is missing for whoever lists the realm, now or later.
      if (isDue(`unlisted ${realm}`)) shared()?.forget(realm);
    },
    onWritten: (batch) => metrics.written(batch),
    onStored(realm, atMs) {
      if (shared() === undefined) liveness.onMessageStored(realm, atMs);
    },
    reset: () => unlisted.clear(),
  };
}
