import type { Clock } from "@realmwatch/shared/model/clock";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { memoryHistory } from "@realmwatch/shared/read-model/history/memory-history";
import { type IngestEvents, openIngest } from "../ingest/ingest.ts";
import type { RealmWrite } from "../realms/realm-write.ts";
import type { RealmsPlan } from "../realms/realms-document.ts";
import { openModel, type Reading } from "./active-read-model.ts";
import type { Sightings } from "./liveness-tracker.ts";

export type MemoryReadingParts = {
  readonly plan: RealmsPlan;
  readonly generation: string;
  readonly sightings: Sightings;
  readonly bus: NatsBus;
  readonly clock: Clock;
  readonly log: Pick<Log, "info" | "warn">;
  readonly historyLength: number;
  readonly historyRetentionMs: number;
  readonly events: IngestEvents;
};

/** A read model without Redis: everything that the streams hold is read at each start. */
export function openMemoryReading(parts: MemoryReadingParts): Reading {
  const { plan, sightings, generation, historyLength } = parts;
  let history: ReturnType<typeof memoryHistory> | undefined;
  const { model, filling } = openModel({
    plan,
    sightings,
    generation,
    clock: parts.clock,
    history: (findSubject) => (history = memoryHistory({ maxRecords: historyLength * plan.size, findSubject })),
  });
  /** Versions of the catalogs, which come in any order too. */
  const catalogs = new Map<string, NonNullable<RealmWrite["catalog"]>>();

  function takeCatalog(realm: string, catalog: NonNullable<RealmWrite["catalog"]>): void {
    const known = catalogs.get(realm);
    const isOlder = known && (catalog.epoch - known.epoch || catalog.revision - known.revision) <= 0;
    if (isOlder) return;
    catalogs.set(realm, catalog);
    filling.setCatalog(catalog.catalog);
  }
  const ingest = openIngest({
    ...parts,
    isListed: (realm) => plan.has(realm),
    shared: undefined,
    async write({ realm, changes, completeEpoch, catalog, records }) {
      filling.apply(changes);
      if (completeEpoch !== undefined) filling.dropRealmRowsBelow(realm, completeEpoch);
      if (catalog) takeCatalog(realm, catalog);
      history?.add(records);
    },
  });
  return {
    plan,
    model,
    size: () => model.size,
    holes: () => (ingest.caughtUp() ? undefined : describe(ingest.trouble())),
    historyHoles: () => undefined,
    missing: async () => [],
    close: () => ingest.close(),
  };
}

const describe = (trouble: string): string =>
  trouble === "" ? "the read model is being filled from NATS" : `the read model cannot be filled from NATS: ${trouble}`;
