import type { Clock } from "@realmwatch/shared/model/clock";
import type { Log } from "@realmwatch/shared/platform/log/log";
import { WarningLimit } from "@realmwatch/shared/platform/log/warning-limit";
import type { HeartbeatEvents } from "../ingest/heartbeat-listener.ts";
import type { IngestEvents } from "../ingest/write-messages.ts";
import { epochRefusal } from "../realms/epoch-limits.ts";
import type { RedisStore } from "../redis/redis-store.ts";
import type { AggregatorMetrics } from "./aggregator-metrics.ts";
import type { FreshnessTracker } from "./freshness-tracker.ts";
import type { HeartbeatReplies } from "./heartbeat-replies.ts";
import type { LivenessTracker } from "./liveness-tracker.ts";
import type { StoreErrors } from "./store-errors.ts";

type IngestEventOptions = {
  readonly clock: Clock;
  readonly log: Pick<Log, "info" | "warn">;
  readonly liveness: LivenessTracker;
  readonly freshness: FreshnessTracker;
  readonly replies: HeartbeatReplies;
  /** Time without a heartbeat after which a realm is unreachable, ms. */
  readonly unreachableAfterMs: (realm: string) => number;
  readonly storeErrors: StoreErrors;
  readonly metrics: AggregatorMetrics;
  /** Store in Redis; undefined without Redis. */
  readonly store: Pick<RedisStore, "storeLiveness"> | undefined;
};

const mostWarnings = 1_000;

/** Handles the callbacks of ingest and of heartbeats: liveness, metrics and log. */
export function ingestEvents(options: IngestEventOptions): IngestEvents &
  HeartbeatEvents & {
    /** Allows the warnings about unlisted realms again, after a reload. */
    reset(): void;
  } {
  const { clock, log, liveness, freshness, replies, storeErrors, metrics, store } = options;
  const unlisted = new Set<string>();
  const warnings = new WarningLimit(clock);
  return {
    onHeartbeat(heartbeat, reply) {
      const { realm, epoch, revision } = heartbeat;
      const refusal = epochRefusal(epoch, revision, clock.now());
      if (refusal !== undefined) {
        metrics.rejected({ realm, reason: "epoch" });
        freshness.onRefusedEpoch(realm, `heartbeats are refused: ${refusal}`);
      }
      freshness.onHeartbeat(heartbeat, options.unreachableAfterMs(realm), liveness.of(realm));
      if (freshness.followedInstance(realm) === heartbeat.instance) {
        const realmLiveness = liveness.onHeartbeat(heartbeat);
        store?.storeLiveness(realm, realmLiveness).catch(() => {});
      }
      if (reply !== undefined) void replies.replyTo(heartbeat).then(reply, () => {});
    },
    onWriteFailed(realm, why) {
      storeErrors.set(realm, why);
    },
    onRejected(rejection) {
      metrics.rejected(rejection);
      const { realm, reason, detail } = rejection;
      if (reason === "epoch") freshness.onRefusedEpoch(realm, `messages are refused: ${detail}`);
      if (warnings.isDue(`${rejection.realm} ${rejection.reason}`))
        log.warn(rejection, "ingest: a message was rejected");
    },
    onUnlisted(realm) {
      metrics.unlisted();
      if (!unlisted.has(realm) && unlisted.size < mostWarnings) {
        unlisted.add(realm);
        log.warn({ realm }, "a realm publishes that the realms document does not list; it is ignored");
      }
    },
    onWritten(batch) {
      storeErrors.clear(batch.realm);
      metrics.written(batch);
    },
    onForgotten(realm) {
      liveness.forget(realm);
      freshness.forget(realm);
      if (warnings.isDue(`${realm} forgotten`)) log.warn({ realm }, "a realm is forgotten, as an operator demanded");
    },
    onStored(realm, atMs) {
      if (store === undefined) liveness.onMessageStored(realm, atMs);
    },
    reset: () => unlisted.clear(),
  };
}
