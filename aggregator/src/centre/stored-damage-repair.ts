import type { Clock } from "@realmwatch/shared/model/clock";
import { backoffMs } from "@realmwatch/shared/platform/backoff";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { StoredDamage } from "../redis/realm-replica.ts";
import type { RedisStore } from "../redis/redis-store.ts";

type StoredDamageRepairOptions = {
  readonly store: Pick<RedisStore, "discardObjects" | "discardCatalog" | "clearHistory" | "clear">;
  readonly clock: Clock;
  readonly log: Pick<Log, "warn">;
  /** Writes the rows and the catalog of a realm again that Redis lacks. */
  readonly readAgain: (realm: string) => Promise<void>;
  /** Rebuilds realms whose data was deleted. */
  readonly checkNow: () => void;
  readonly onRepair: (realm: string) => void;
};

/** Delay of a first repair, ms: damage is found page by page. */
const collectForMs = 200;
/** Delay of the next repairs of a realm, ms; from the fifth on it doubles with each: Redis may go on evicting keys. */
const repairBounds = { firstMs: 5_000, longestMs: 300_000 };
const repairsBeforeBackoff = 4;
/** Time without damage after which a realm's repairs are forgotten, ms. */
const forgetAfterMs = 600_000;
/** Number of objects, and of repairs of single objects, above which the whole realm is rebuilt. */
const mostSingle = { objects: 500, repairs: 2 } as const;

type Repair = { attempts: number; lastMs: number; waiting: StoredDamage | undefined; cancel: () => void };

/** [RS14] Repairs damaged data in Redis realm by realm: single values are written again, otherwise the realm is rebuilt. */
export function openStoredDamageRepair(options: StoredDamageRepairOptions) {
  const { store, clock, log } = options;
  const repairs = new Map<string, Repair>();

  function stateOf(realm: string): Repair {
    const known = repairs.get(realm);
    if (known !== undefined && clock.monotonic() - known.lastMs < forgetAfterMs) return known;
    known?.cancel();
    const fresh: Repair = { attempts: 0, lastMs: clock.monotonic(), waiting: undefined, cancel: () => {} };
    repairs.set(realm, fresh);
    return fresh;
  }

  async function run(realm: string, state: Repair): Promise<void> {
    const damage = state.waiting;
    if (damage === undefined) return;
    state.attempts += 1;
    Object.assign(state, { waiting: undefined, lastMs: clock.monotonic() });
    options.onRepair(realm);
    const { kind } = damage;
    const why = damage.kind === "realm" ? damage.why : undefined;
    log.warn({ realm, kind, why, attempt: state.attempts }, "Redis: data of a realm is damaged, repairing it");
    const isSingle = damage.kind !== "realm" && state.attempts <= mostSingle.repairs;
    if (!isSingle || (damage.kind === "objects" && damage.objects.length > mostSingle.objects)) {
      if (await store.clear(realm, "generation" in damage ? damage.generation : "")) options.checkNow();
      return;
    }
    if (damage.kind === "history") {
      await store.clearHistory(realm);
      return options.checkNow();
    }
    if (damage.kind === "objects") await store.discardObjects(realm, damage.objects);
    else await store.discardCatalog(realm, damage.version);
    await options.readAgain(realm);
  }

  return {
    repair(realm: string, damage: StoredDamage) {
      const state = stateOf(realm);
      const isScheduled = state.waiting !== undefined;
      state.waiting = merge(state.waiting, damage);
      if (isScheduled) return;
      state.cancel = clock.after(delayMsOf(state.attempts), () => {
        run(realm, state).catch((error: Error) =>
          log.warn({ realm, why: error.message }, "Redis: the repair of a realm failed"),
        );
      });
    },
    close() {
      for (const { cancel } of repairs.values()) cancel();
    },
  };
}

const delayMsOf = (attempts: number): number =>
  attempts === 0 ? collectForMs : backoffMs(repairBounds, Math.max(1, attempts - repairsBeforeBackoff + 1));

/** The greater damage, or all objects of both. */
function merge(known: StoredDamage | undefined, damage: StoredDamage): StoredDamage {
  if (known === undefined || damage.kind === "realm") return damage;
  if (known.kind === "objects" && damage.kind === "objects")
    return { ...damage, objects: [...known.objects, ...damage.objects] };
  return known.kind === "catalog" || known.kind === "history" ? damage : known;
}
