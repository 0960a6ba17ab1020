import type { Clock } from "@realmwatch/shared/model/clock";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { RealmsPlan } from "../realms/realms-document.ts";
import type { RedisConnection } from "../redis/redis-connection.ts";
import { redisHistory } from "../redis/redis-history.ts";
import { openRedisMirror } from "../redis/redis-replica.ts";
import { openModel, type Reading } from "./active-read-model.ts";
import type { Sightings } from "./liveness-tracker.ts";

export type RedisReadingParts = {
  readonly plan: RealmsPlan;
  readonly generation: string;
  readonly sightings: Sightings;
  readonly redis: RedisConnection;
  readonly clock: Clock;
  readonly log: Pick<Log, "warn">;
  /** Called where realms are missing, or whole again. */
  readonly onState: () => void;
  readonly onLoss: (realm: string) => void;
};

/** A read model that follows Redis, where all aggregators keep what realms publish. */
export function openRedisReading(parts: RedisReadingParts): Reading {
  const { plan, sightings, generation, redis } = parts;
  const realms = [...plan.keys()];
  const { model, filling } = openModel({
    plan,
    sightings,
    generation,
    clock: parts.clock,
    history: (findSubject) => redisHistory({ redis, realms, findSubject }),
  });
  const mirror = openRedisMirror({
    ...parts,
    realms,
    target: filling,
    onSighting: (realm, told) => sightings.learn(realm, told),
  });
  const unlike = (wanted: (realm: string) => boolean): readonly string[] => realms.filter((realm) => !wanted(realm));
  return {
    plan,
    model,
    size: () => model.size,
    holes: () =>
      describe(
        "the read model",
        unlike((realm) => mirror.state(realm) === "loaded"),
      ),
    historyHoles: (realm) =>
      describe(
        "history",
        realm !== "" && !plan.has(realm)
          ? []
          : unlike((one) => (realm !== "" && one !== realm) || mirror.hasHistory(one)),
      ),
    async missing() {
      await mirror.refresh();
      return realms.filter((realm) => mirror.state(realm) === "missing");
    },
    async close() {
      mirror.close();
    },
  };
}

function describe(what: string, realms: readonly string[]): string | undefined {
  if (realms.length === 0) return undefined;
  const some = realms.slice(0, 3).join(", ");
  return `${what} of ${realms.length === 1 ? "realm" : `${realms.length} realms,`} ${some}${realms.length > 3 ? ", …" : ""} is being rebuilt`;
}
