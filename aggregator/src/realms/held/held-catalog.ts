import type { Catalog } from "@realmwatch/shared/model/catalog";
import type { RowVersion } from "@realmwatch/shared/row/row";
import { isNewerVersion } from "@realmwatch/shared/row/row";
import { type CatalogPart, catalogPartToken, joinCatalog } from "@realmwatch/shared/wire/catalog-parts";
import type { CatalogKind } from "@realmwatch/shared/wire/nats/nats-subjects";

/** Part of a catalog with its version. */
export type VersionedCatalogPart = CatalogPart & RowVersion;

/** Change of the version that is held of one part; undefined stands for no part. */
export type HeldPartChange = {
  readonly realm: string;
  /** Kind and number of the part. */
  readonly token: string;
  readonly before: RowVersion | undefined;
  readonly after: RowVersion | undefined;
  /** Version of the message that made the change. */
  readonly by: RowVersion;
};

/**
 * Parts held of one realm's catalog. Parts arrive in any order: the newest version of each counts, and the newest part of
 * a kind says how many parts the kind has.
 */
export class HeldCatalog {
  readonly #realm: string;
  readonly #onChange: (change: HeldPartChange) => void;
  readonly #parts = new Map<string, VersionedCatalogPart>();
  readonly #newest = new Map<CatalogKind, VersionedCatalogPart>();

  constructor(realm: string, onChange: (change: HeldPartChange) => void) {
    this.#realm = realm;
    this.#onChange = onChange;
  }

  get catalog(): Catalog {
    return joinCatalog(this.#realm, this.#parts.values());
  }

  /** @returns true when the catalog has changed */
  apply(part: VersionedCatalogPart): boolean {
    const token = catalogPartToken(part);
    const before = this.#parts.get(token);
    const newest = this.#newest.get(part.kind);
    const isNewest = newest === undefined || isNewerVersion(part, newest);
    if (before !== undefined && !isNewerVersion(part, before)) return false;
    if (!isNewest && part.number >= newest.parts) return false;
    this.#parts.set(token, part);
    this.#onChange({ realm: this.#realm, token, before, after: part, by: part });
    if (isNewest) {
      this.#newest.set(part.kind, part);
      this.#dropBeyond(part);
    }
    return true;
  }

  /** Drops the parts that the kind does not have any more. */
  #dropBeyond(by: VersionedCatalogPart): void {
    for (const [token, part] of this.#parts) {
      if (part.kind !== by.kind || part.number < by.parts) continue;
      this.#parts.delete(token);
      this.#onChange({ realm: this.#realm, token, before: part, after: undefined, by });
    }
  }
}
