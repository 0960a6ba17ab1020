import type { Clock } from "@realmwatch/shared/model/clock";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { RealmsPlan } from "../realms/realms-document.ts";
import type { RedisConnection } from "../redis/redis-connection.ts";
import { redisHistory } from "../redis/redis-history.ts";
import { openRedisReplica } from "../redis/redis-replica.ts";
import { openRealmsReadModel, type ActiveReadModel } from "./active-read-model.ts";
import type { LivenessTracker } from "./liveness-tracker.ts";

export type RedisActiveReadModelOptions = {
  readonly plan: RealmsPlan;
  readonly generation: string;
  readonly liveness: LivenessTracker;
  readonly redis: RedisConnection;
  readonly clock: Clock;
  readonly log: Pick<Log, "warn">;
  /** Called where realms are missing, or whole again. */
  readonly onStateChange: () => void;
  readonly onLoss: (realm: string) => void;
};

/** A read model that follows Redis, where all aggregators keep what realms publish. */
export function openRedisReadModel(parts: RedisActiveReadModelOptions): ActiveReadModel {
  const { plan, liveness, generation, redis } = parts;
  const realms = [...plan.keys()];
  const { model, writer } = openRealmsReadModel({
    plan,
    liveness,
    generation,
    clock: parts.clock,
    history: (findSubject) => redisHistory({ redis, realms, findSubject }),
  });
  const mirror = openRedisReplica({
    ...parts,
    realms,
    target: writer,
    onLiveness: (realm, told) => liveness.merge(realm, told),
  });
  const unlike = (wanted: (realm: string) => boolean): readonly string[] => realms.filter((realm) => !wanted(realm));
  return {
    plan,
    model,
    objectCount: () => model.size,
    incompleteReason: () =>
      beingRebuilt(
        "the read model",
        unlike((realm) => mirror.state(realm) === "loaded"),
      ),
    historyIncompleteReason: (realm) =>
      beingRebuilt(
        "history",
        realm !== "" && !plan.has(realm)
          ? []
          : unlike((one) => (realm !== "" && one !== realm) || mirror.hasHistory(one)),
      ),
    async realmsToRebuild() {
      await mirror.refresh();
      return realms.filter((realm) => mirror.state(realm) === "missing");
    },
    async close() {
      mirror.close();
    },
  };
}

function beingRebuilt(what: string, realms: readonly string[]): string | undefined {
  if (realms.length === 0) return undefined;
  const some = realms.slice(0, 3).join(", ");
  return `${what} of ${realms.length === 1 ? "realm" : `${realms.length} realms,`} ${some}${realms.length > 3 ? ", …" : ""} is being rebuilt`;
}
