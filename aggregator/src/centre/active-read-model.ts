import type { Catalog } from "@realmwatch/shared/model/catalog";
import { type Clock, sleep } from "@realmwatch/shared/model/clock";
import type { RowChange } from "@realmwatch/shared/model/row";
import type { ProgramToggles } from "@realmwatch/shared/model/toggles";
import type { FindSubject } from "@realmwatch/shared/read-model/history/history-filter";
import {
  type HistoryReader,
  type MemoryReadModel,
  memoryReadModel,
} from "@realmwatch/shared/read-model/memory-read-model";
import type { ReadModel } from "@realmwatch/shared/read-model/read-model";
import type { RealmsPlan } from "../realms/realms-document.ts";
import type { Sightings } from "./liveness-tracker.ts";

/** What answers reads for one realms document: a reload opens the next one, and swaps when that is filled. */
export type Reading = {
  readonly plan: RealmsPlan;
  readonly model: ReadModel;
  /** Objects held. */
  readonly size: () => number;
  /** Why the model may have holes; undefined where it has none. */
  readonly holes: () => string | undefined;
  /** The same for the history of a realm; of all realms where the name is empty. */
  readonly historyHoles: (realm: string) => string | undefined;
  /** The realms that somebody has to read from the streams again. */
  readonly missing: () => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
};

/** The side of a model that is written to. */
export type Filling = {
  apply(changes: readonly RowChange[]): void;
  setCatalog(catalog: Catalog): void;
  dropRealmRowsBelow(realm: string, epoch: number): void;
};

export type ModelParts = {
  readonly plan: RealmsPlan;
  readonly sightings: Sightings;
  /** Names this life of the model, unlike every other one. */
  readonly generation: string;
  readonly history: (findSubject: FindSubject) => HistoryReader;
  readonly clock: Clock;
};

/** The model of a realms document, still empty: it knows its realms and their labels. */
export function openModel({ plan, sightings, generation, history, clock }: ModelParts): {
  readonly model: MemoryReadModel;
  readonly filling: Filling;
} {
  const toggles = new Map<string, ProgramToggles>();
  const reader: HistoryReader = history((realm, key) => model.subject(realm, key));
  const model: MemoryReadModel = memoryReadModel({
    generation,
    history: reader,
    breathe: () => sleep(clock, 0),
    realmLabels: (realm) => plan.get(realm)?.labels ?? {},
  });
  model.setRealms(() => sightings.views(plan, (realm) => toggles.get(realm)));
  const filling: Filling = {
    apply: (changes) => model.apply(changes),
    dropRealmRowsBelow: (realm, epoch) => model.dropRealmRowsBelow(realm, epoch),
    setCatalog(catalog) {
      toggles.set(catalog.realm, catalog.toggles);
      model.setCatalog(catalog);
    },
  };
  return { model, filling };
}
