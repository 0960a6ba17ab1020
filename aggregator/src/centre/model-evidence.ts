import { rowDigestTerm } from "@realmwatch/shared/platform/row-digest";
import type { RowVersion } from "@realmwatch/shared/row/row";
import { isNewerVersion } from "@realmwatch/shared/row/row";
import { objectToken } from "@realmwatch/shared/wire/nats/nats-subjects";
import type { HeldPartChange } from "../realms/held/held-catalog.ts";
import type { HeldVersionChange } from "../realms/held/held-versions.ts";
import { RowEvidence } from "../realms/row-evidence.ts";

/** Evidence of all realms of one read model: which rows it holds. */
export type ModelEvidence = ReturnType<typeof openModelEvidence>;

const noVersion: RowVersion = { epoch: 0, revision: 0 };

export function openModelEvidence() {
  const newest = new Map<string, RowVersion>();
  const rows = new Map<string, RowEvidence>();
  const catalogs = new Map<string, RowEvidence>();
  const of = (realm: string): RowEvidence => evidenceOf(rows, realm);
  const catalogOf = (realm: string): RowEvidence => evidenceOf(catalogs, realm);
  const termOf = (token: string, version: RowVersion | undefined): bigint =>
    version === undefined ? 0n : rowDigestTerm(token, version.epoch, version.revision);
  return {
    of,
    /** Parts of the catalog that are held, as the rows are. */
    catalogOf,
    onCatalogPart({ realm, token, before, after, by: { epoch, revision: published } }: HeldPartChange) {
      const terms = { termBefore: termOf(token, before), termAfter: termOf(token, after) };
      catalogOf(realm).record({ ...terms, epoch, published });
    },
    /** Newest version held of a realm; epoch 0 for none. */
    newest: (realm: string) => newest.get(realm) ?? noVersion,
    forget(realm: string) {
      rows.get(realm)?.clear();
      catalogs.get(realm)?.clear();
      newest.delete(realm);
    },
    onVersion({ realm, key, before, after, published }: HeldVersionChange) {
      const token = objectToken(key);
      const terms = { termBefore: termOf(token, before), termAfter: termOf(token, after) };
      const version = after ?? before ?? noVersion;
      of(realm).record({ ...terms, epoch: version.epoch, published });
      if (isNewerVersion(version, newest.get(realm) ?? noVersion)) newest.set(realm, version);
    },
  };
}

const evidenceOf = (byRealm: Map<string, RowEvidence>, realm: string): RowEvidence =>
  byRealm.getOrInsertComputed(realm, () => new RowEvidence());
