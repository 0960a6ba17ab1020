import { type Clock, sleep } from "@realmwatch/shared/model/clock";
import type { ObjectKey } from "@realmwatch/shared/model/object-key";
import type { RealmView } from "@realmwatch/shared/model/realm";
import type { ProgramToggles } from "@realmwatch/shared/model/toggles";
import type { FindSelectorSubject } from "@realmwatch/shared/read-model/history/history-filter";
import type { HistorySource } from "@realmwatch/shared/read-model/history/history-source";
import { type MemoryReadModel, memoryReadModel } from "@realmwatch/shared/read-model/memory-read-model";
import type { ReadModel } from "@realmwatch/shared/read-model/read-model";
import type { RowChange } from "@realmwatch/shared/row/row";
import { HeldCatalog, type VersionedCatalogPart } from "../realms/held-catalog.ts";
import type { RealmsPlan } from "../realms/realms-document.ts";
import { type ModelEvidence, openModelEvidence } from "./model-evidence.ts";

/** Read model of one realms document. A reload opens the next one and switches to it when it is complete. */
export type ActiveReadModel = {
  readonly plan: RealmsPlan;
  readonly model: ReadModel;
  /** Rows that the model holds, to be compared with what realms have published. */
  readonly evidence: ModelEvidence;
  /** True when the object has a row. */
  readonly holds: (realm: string, key: ObjectKey) => boolean;
  /** Number of objects in the read model. */
  readonly objectCount: () => number;
  /** Reason why the read model may be incomplete; undefined when it is complete. */
  readonly incompleteReason: () => string | undefined;
  /** True once the rows of any realm are read: what is held then can be answered, with each realm's freshness. */
  readonly canAnswer: () => boolean;
  /** True while the rows of the realm are being read. */
  readonly isRebuilding: (realm: string) => boolean;
  /** Reason why rows of the realm cannot be read or written; empty when they can. */
  readonly storeError: (realm: string) => string;
  /** Reads the rows of a realm from the stream again. Rejects when that fails. */
  readonly readAgain: (realm: string) => Promise<void>;
  /**
   * Reason why no history of a realm, or of any realm when empty, can be answered; undefined when some can. An answer
   * over all realms names those whose history is missing.
   */
  readonly historyIncompleteReason: (realm: string) => string | undefined;
  /** Realms that have to be rebuilt from the streams. */
  readonly realmsToRebuild: () => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
};

/** Write side of a read model. */
type ReadModelWriter = {
  apply(changes: readonly RowChange[]): void;
  applyCatalogParts(realm: string, parts: readonly VersionedCatalogPart[]): void;
  dropRealmRowsBelow(realm: string, epoch: number): void;
  forgetRealm(realm: string): void;
};

type RealmsReadModelOptions = {
  readonly plan: RealmsPlan;
  /** Returns the realms as clients see them. */
  readonly realmViews: RealmViews;
  /** Unique id of this instance of the read model. */
  readonly generation: string;
  readonly history: (findSubject: FindSelectorSubject) => HistorySource;
  readonly clock: Clock;
};

/** Views of the realms of a document; `toggles` returns a realm's toggles, undefined when unknown. */
export type RealmViews = (
  plan: RealmsPlan,
  toggles: (realm: string) => ProgramToggles | undefined,
) => readonly RealmView[];

/** Opens an empty read model of a realms document, with its realms and their labels. */
export function openRealmsReadModel({ plan, realmViews, generation, history, clock }: RealmsReadModelOptions): {
  readonly model: MemoryReadModel;
  readonly writer: ReadModelWriter;
  readonly evidence: ModelEvidence;
} {
  const evidence = openModelEvidence();
  const toggles = new Map<string, ProgramToggles>();
  const catalogs = new Map<string, HeldCatalog>();
  const reader: HistorySource = history((realm, key) => model.selectorSubject(realm, key));
  const model: MemoryReadModel = memoryReadModel({
    generation,
    history: reader,
    yieldToEventLoop: () => sleep(clock, 0),
    realmLabels: (realm) => plan.get(realm)?.labels ?? {},
    onVersion: evidence.onVersion,
  });
  model.setRealms(() => realmViews(plan, (realm) => toggles.get(realm)));
  const writer: ReadModelWriter = {
    apply: (changes) => model.apply(changes),
    dropRealmRowsBelow: (realm, epoch) => model.dropRealmRowsBelow(realm, epoch),
    forgetRealm(realm) {
      model.forgetRealm(realm);
      toggles.delete(realm);
      catalogs.delete(realm);
      evidence.forget(realm);
    },
    applyCatalogParts(realm, parts) {
      const held = catalogs.get(realm) ?? new HeldCatalog(realm, evidence.onCatalogPart);
      catalogs.set(realm, held);
      const changes = parts.filter((part) => held.apply(part));
      if (changes.length === 0) return;
      const { catalog } = held;
      toggles.set(realm, catalog.toggles);
      model.setCatalog(catalog);
    },
  };
  return { model, writer, evidence };
}
