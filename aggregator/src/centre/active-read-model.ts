import type { ObjectKey } from "@realmwatch/shared/model/object-key";
import type { RealmView } from "@realmwatch/shared/model/realm";
import type { ProgramToggles } from "@realmwatch/shared/model/toggles";
import type { FedModel } from "../port-host/fed-models.ts";
import { HeldCatalog } from "../realms/held/held-catalog.ts";
import { HeldVersions } from "../realms/held/held-versions.ts";
import type { RealmsPlan } from "../realms/realms-document.ts";
import type { ReplicaTarget } from "../redis/realm-replica.ts";
import { type ModelEvidence, openModelEvidence } from "./model-evidence.ts";

/** Read model of one realms document. A reload opens the next one and switches to it when it is complete. */
export type ActiveReadModel = {
  readonly plan: RealmsPlan;
  /** Number of the read model in the port's thread, which has the rows. */
  readonly number: number;
  /** Toggles of a realm; undefined when unknown. */
  readonly toggles: (realm: string) => ProgramToggles | undefined;
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
  /** Reason why no history of any realm can be answered; undefined when some can. */
  readonly historyIncompleteReason: () => string | undefined;
  /** Reasons why the stored history of realms cannot be read, by realm. */
  readonly unreadableHistories: () => ReadonlyMap<string, string>;
  /** Realms that have to be rebuilt from the streams. */
  readonly realmsToRebuild: () => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
};

/** Views of the realms of a document; `toggles` returns a realm's toggles, undefined when unknown. */
export type RealmViews = (
  plan: RealmsPlan,
  toggles: (realm: string) => ProgramToggles | undefined,
) => readonly RealmView[];

/** Opens what this thread holds of a read model, whose rows are in the port's thread: their versions, and the catalogs. */
export function openHeldModel(fed: FedModel) {
  const evidence = openModelEvidence();
  const versions = new HeldVersions(evidence.onVersion);
  const toggles = new Map<string, ProgramToggles>();
  const catalogs = new Map<string, HeldCatalog>();
  const writer: ReplicaTarget = {
    apply: (changes) => fed.apply(changes.filter((change) => versions.apply(change))),
    dropRealmRowsBelow(realm, epoch) {
      versions.dropRealmRowsBelow(realm, epoch);
      fed.dropRealmRowsBelow(realm, epoch);
    },
    forgetRealm(realm) {
      versions.forgetRealm(realm);
      toggles.delete(realm);
      catalogs.delete(realm);
      evidence.forget(realm);
      fed.forgetRealm(realm);
    },
    applyCatalogParts(realm, parts) {
      const held = catalogs.getOrInsertComputed(realm, () => new HeldCatalog(realm, evidence.onCatalogPart));
      const changes = parts.filter((part) => held.apply(part));
      if (changes.length === 0) return;
      const { catalog } = held;
      toggles.set(realm, catalog.toggles);
      fed.setCatalog(catalog);
    },
  };
  return {
    writer,
    held: {
      number: fed.number,
      evidence,
      toggles: (realm: string) => toggles.get(realm),
      holds: (realm: string, key: ObjectKey) => versions.holds(realm, key),
      objectCount: () => versions.rows,
    },
  };
}
