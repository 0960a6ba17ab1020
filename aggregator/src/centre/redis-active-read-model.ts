import type { Log } from "@realmwatch/shared/platform/log/log";
import type { FedModel } from "../port-host/fed-models.ts";
import type { RealmsPlan } from "../realms/realms-document.ts";
import type { RealmReading } from "../redis/realm-replica.ts";
import { openRedisReplica } from "../redis/redis-replica.ts";
import { type ActiveReadModel, openHeldModel } from "./active-read-model.ts";
import type { LivenessTracker } from "./liveness-tracker.ts";
import type { StoreErrors } from "./store-errors.ts";

type RedisActiveReadModelOptions = Pick<RealmReading, "redis" | "clock" | "onStateChange" | "onLoss" | "onDamage"> & {
  readonly plan: RealmsPlan;
  readonly fed: FedModel;
  readonly liveness: LivenessTracker;
  readonly log: Pick<Log, "warn">;
  readonly storeErrors: StoreErrors;
  readonly readAgain: ActiveReadModel["readAgain"];
};

/** Opens a read model that replicates Redis, where all aggregators store what realms publish. */
export function openRedisReadModel(options: RedisActiveReadModelOptions): ActiveReadModel {
  const { plan, redis, fed } = options;
  const realms = [...plan.keys()];
  const { writer, held } = openHeldModel(fed);
  const replica = openRedisReplica({
    ...options,
    realms,
    target: writer,
    onLiveness: options.liveness.merge,
  });
  function historyUnreadable(realm: string): string {
    const why = replica.readError(realm);
    if (why !== "") return `history of realm ${realm} cannot be read: ${why}`;
    return replica.hasHistory(realm) ? "" : `history of realm ${realm} is being rebuilt`;
  }
  const realmsExcept = (wanted: (realm: string) => boolean): readonly string[] =>
    realms.filter((realm) => !wanted(realm));
  return {
    plan,
    ...held,
    canAnswer: () => realms.length === 0 || realms.some((realm) => replica.wasLoaded(realm)),
    isRebuilding: (realm) => replica.state(realm) !== "loaded" && replica.readError(realm) === "",
    storeError: (realm) => redis.unavailableReason() || replica.readError(realm) || options.storeErrors.of(realm),
    readAgain: options.readAgain,
    incompleteReason: () =>
      beingRebuilt(
        "the read model",
        realmsExcept((realm) => replica.state(realm) === "loaded" || replica.readError(realm) !== ""),
      ),
    // Answers name the realms without history; Redis itself is named when it is away.
    historyIncompleteReason: () => redis.unavailableReason() || undefined,
    unreadableHistories: () =>
      new Map(
        realms.flatMap((realm) => {
          const why = historyUnreadable(realm);
          return why === "" ? [] : [[realm, why] as const];
        }),
      ),
    async realmsToRebuild() {
      await replica.refresh();
      // A history that is missing although its realm is complete is the rest of a rebuild that was interrupted.
      const isIncomplete = (realm: string): boolean =>
        replica.state(realm) === "missing" || (replica.state(realm) === "loaded" && !replica.hasHistory(realm));
      return realms.filter((realm) => replica.readError(realm) === "" && isIncomplete(realm));
    },
    async close() {
      replica.close();
      fed.close();
    },
  };
}

function beingRebuilt(what: string, realms: readonly string[]): string | undefined {
  if (realms.length === 0) return undefined;
  const some = realms.slice(0, 3).join(", ");
  return `${what} of ${realms.length === 1 ? "realm" : `${realms.length} realms,`} ${some}${realms.length > 3 ? ", …" : ""} is being rebuilt`;
}
