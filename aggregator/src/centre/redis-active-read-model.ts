import type { Clock } from "@realmwatch/shared/model/clock";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { RealmsPlan } from "../realms/realms-document.ts";
import type { RedisConnection } from "../redis/redis-connection.ts";
import { redisHistory } from "../redis/redis-history.ts";
import { openRedisReplica } from "../redis/redis-replica.ts";
import { type ActiveReadModel, openRealmsReadModel, type RealmViews } from "./active-read-model.ts";
import type { LivenessTracker } from "./liveness-tracker.ts";

export type RedisActiveReadModelOptions = {
  readonly plan: RealmsPlan;
  readonly generation: string;
  readonly liveness: LivenessTracker;
  readonly realmViews: RealmViews;
  readonly redis: RedisConnection;
  readonly clock: Clock;
  readonly log: Pick<Log, "warn">;
  /** Called when realms are missing, or complete again. */
  readonly onStateChange: () => void;
  readonly onLoss: (realm: string) => void;
  readonly storeErrors: ReadonlyMap<string, string>;
  readonly readAgain: ActiveReadModel["readAgain"];
};

/** Opens a read model that replicates Redis, where all aggregators store what realms publish. */
export function openRedisReadModel(options: RedisActiveReadModelOptions): ActiveReadModel {
  const { plan, liveness, realmViews, generation, redis } = options;
  const realms = [...plan.keys()];
  const { model, writer, evidence } = openRealmsReadModel({
    plan,
    realmViews,
    generation,
    clock: options.clock,
    history: (findSubject) => redisHistory({ redis, realms, findSubject }),
  });
  const replica = openRedisReplica({
    ...options,
    realms,
    target: writer,
    onLiveness: (realm, stored) => liveness.merge(realm, stored),
  });
  const realmsExcept = (wanted: (realm: string) => boolean): readonly string[] =>
    realms.filter((realm) => !wanted(realm));
  return {
    plan,
    model,
    evidence,
    canAnswer: () => realms.length === 0 || realms.some((realm) => replica.wasLoaded(realm)),
    isRebuilding: (realm) => replica.state(realm) !== "loaded",
    storeError: (realm) => redis.unavailableReason() || (options.storeErrors.get(realm) ?? ""),
    readAgain: options.readAgain,
    objectCount: () => model.size,
    incompleteReason: () =>
      beingRebuilt(
        "the read model",
        realmsExcept((realm) => replica.state(realm) === "loaded"),
      ),
    historyIncompleteReason: (realm) =>
      beingRebuilt(
        "history",
        realm !== "" && !plan.has(realm)
          ? []
          : realmsExcept((one) => (realm !== "" && one !== realm) || replica.hasHistory(one)),
      ),
    async realmsToRebuild() {
      await replica.refresh();
      return realms.filter((realm) => replica.state(realm) === "missing");
    },
    async close() {
      replica.close();
    },
  };
}

function beingRebuilt(what: string, realms: readonly string[]): string | undefined {
  if (realms.length === 0) return undefined;
  const some = realms.slice(0, 3).join(", ");
  return `${what} of ${realms.length === 1 ? "realm" : `${realms.length} realms,`} ${some}${realms.length > 3 ? ", …" : ""} is being rebuilt`;
}
