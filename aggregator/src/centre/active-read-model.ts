import type { Catalog } from "@realmwatch/shared/model/catalog";
import { type Clock, sleep } from "@realmwatch/shared/model/clock";
import type { RowChange } from "@realmwatch/shared/model/row";
import type { ProgramToggles } from "@realmwatch/shared/model/toggles";
import type { FindSelectorSubject } from "@realmwatch/shared/read-model/history/history-filter";
import type { HistorySource } from "@realmwatch/shared/read-model/history/history-source";
import { type MemoryReadModel, memoryReadModel } from "@realmwatch/shared/read-model/memory-read-model";
import type { ReadModel } from "@realmwatch/shared/read-model/read-model";
import type { RealmsPlan } from "../realms/realms-document.ts";
import type { LivenessTracker } from "./liveness-tracker.ts";

/** What answers reads for one realms document: a reload opens the next one, and swaps when that is filled. */
export type ActiveReadModel = {
  readonly plan: RealmsPlan;
  readonly model: ReadModel;
  /** Objects held. */
  readonly objectCount: () => number;
  /** Why the model may have holes; undefined where it has none. */
  readonly incompleteReason: () => string | undefined;
  /** The same for the history of a realm; of all realms where the name is empty. */
  readonly historyIncompleteReason: (realm: string) => string | undefined;
  /** The realms that somebody has to read from the streams again. */
  readonly realmsToRebuild: () => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
};

/** The side of a model that is written to. */
export type ReadModelWriter = {
  apply(changes: readonly RowChange[]): void;
  setCatalog(catalog: Catalog): void;
  dropRealmRowsBelow(realm: string, epoch: number): void;
};

export type RealmsReadModelOptions = {
  readonly plan: RealmsPlan;
  readonly liveness: LivenessTracker;
  /** Names this life of the model, unlike every other one. */
  readonly generation: string;
  readonly history: (findSubject: FindSelectorSubject) => HistorySource;
  readonly clock: Clock;
};

/** The model of a realms document, still empty: it knows its realms and their labels. */
export function openRealmsReadModel({ plan, liveness, generation, history, clock }: RealmsReadModelOptions): {
  readonly model: MemoryReadModel;
  readonly writer: ReadModelWriter;
} {
  const toggles = new Map<string, ProgramToggles>();
  const reader: HistorySource = history((realm, key) => model.selectorSubject(realm, key));
  const model: MemoryReadModel = memoryReadModel({
    generation,
    history: reader,
    yieldToEventLoop: () => sleep(clock, 0),
    realmLabels: (realm) => plan.get(realm)?.labels ?? {},
  });
  model.setRealms(() => liveness.realmViews(plan, (realm) => toggles.get(realm)));
  const writer: ReadModelWriter = {
    apply: (changes) => model.apply(changes),
    dropRealmRowsBelow: (realm, epoch) => model.dropRealmRowsBelow(realm, epoch),
    setCatalog(catalog) {
      toggles.set(catalog.realm, catalog.toggles);
      model.setCatalog(catalog);
    },
  };
  return { model, writer };
}
