import { toBinary } from "@bufbuild/protobuf";
import { type RealmCatalog, RealmCatalogSchema } from "@realmwatch/proto/svc/v1/state_pb";
import type { Catalog } from "../model/catalog.ts";
import { malformed, type Refusal } from "../model/refusal.ts";
import { ok, type Result } from "../model/result.ts";
import { allProgramTogglesOn } from "../model/toggles.ts";
import { type CatalogStamp, catalogFromProto, catalogToProto } from "./catalog.ts";
import type { CatalogKind } from "./nats/nats-subjects.ts";

/** Field of a catalog that has the entries of a kind. */
const fields = {
  contact: "contacts",
  view: "views",
  sink: "sinks",
  panel: "panels",
  slo: "slos",
  toggles: "toggles",
} as const satisfies Readonly<Record<CatalogKind, keyof Catalog>>;
export const catalogKinds = Object.keys(fields) as readonly CatalogKind[];

/** Part of a realm's catalog: entries of one kind. */
export type CatalogPart = {
  readonly kind: CatalogKind;
  /** Number of the part among those of its kind, from 0. */
  readonly number: number;
  /** Number of parts of its kind. */
  readonly parts: number;
  /** Catalog with the entries of this part only. */
  readonly catalog: Catalog;
};

/** Kind and number of a part as in its subject, for example `contact.0`. */
export const catalogPartToken = ({ kind, number }: Pick<CatalogPart, "kind" | "number">): string => `${kind}.${number}`;

export const emptyCatalog = (realm: string): Catalog => ({
  ...{ realm, contacts: [], views: [], sinks: [], panels: [], slos: [], toggles: allProgramTogglesOn },
});

/** Entry of a catalog that is too large for any part. */
type TooLargeEntry = { readonly name: string; readonly bytes: number };

/** Size of a part without its entries, bytes, at most: name of the realm, versions and time. */
const envelopeBytes = 256;

/** Largest part with more than one entry, bytes: a change of one entry publishes its part again. */
const maxPartBytes = 256 * 1024;

/** [FD71] Splits a catalog into parts whose messages have at most `maxBytes`; at least one of each kind, empty or not. */
export function splitCatalog(
  catalog: Catalog,
  maxBytes: number,
): { readonly parts: readonly CatalogPart[]; readonly tooLarge: readonly TooLargeEntry[] } {
  const tooLarge: TooLargeEntry[] = [];
  const empty = emptyCatalog(catalog.realm);
  const partBytes = Math.min(maxBytes, maxPartBytes) - envelopeBytes;
  const parts = catalogKinds.flatMap((kind): CatalogPart[] => {
    if (kind === "toggles") return [{ kind, number: 0, parts: 1, catalog: { ...empty, toggles: catalog.toggles } }];
    const field = fields[kind];
    const chunks: Catalog[typeof field][number][][] = [[]];
    let left = partBytes;
    for (const entry of catalog[field]) {
      const bytes = sizeOf({ ...empty, [field]: [entry] });
      if (bytes > maxBytes - envelopeBytes) {
        tooLarge.push({ name: `${kind} ${JSON.stringify(entry.name)}`, bytes });
        continue;
      }
      if (bytes > left) {
        chunks.push([]);
        left = partBytes;
      }
      left -= bytes;
      chunks.at(-1)?.push(entry);
    }
    return chunks.map((entries, number) => ({
      ...{ kind, number, parts: chunks.length },
      catalog: { ...empty, [field]: entries },
    }));
  });
  return { parts, tooLarge };
}

const sizeOf = (catalog: Catalog): number =>
  toBinary(RealmCatalogSchema, catalogToProto(catalog, { realm: "", epoch: 0, revision: 0, atMs: 0 })).length;

/** Catalog that has all entries of the parts. */
export function joinCatalog(realm: string, parts: Iterable<CatalogPart>): Catalog {
  const joined = emptyCatalog(realm);
  const inOrder = [...parts].sort((one, other) => one.number - other.number);
  const all = <F extends "contacts" | "views" | "sinks" | "panels" | "slos">(field: F): Catalog[F] =>
    inOrder.flatMap<Catalog[F][number]>(({ catalog }) => catalog[field]) as unknown as Catalog[F];
  const toggles = inOrder.find(({ kind }) => kind === "toggles")?.catalog.toggles ?? joined.toggles;
  return {
    ...{ realm, toggles, contacts: all("contacts"), views: all("views"), sinks: all("sinks"), panels: all("panels") },
    slos: all("slos"),
  };
}

/** Converts a part to the message that its realm publishes. */
export function catalogPartToProto({ kind, parts, catalog }: CatalogPart, stamp: CatalogStamp): RealmCatalog {
  const { toggles, ...message } = catalogToProto(catalog, stamp);
  return kind === "toggles" && toggles !== undefined ? { ...message, parts, toggles } : { ...message, parts };
}

/** Converts a message to the part that its subject names. `malformed` when a field is out of range or of a newer release. */
export function catalogPartFromProto(
  message: RealmCatalog,
  { kind, number }: Pick<CatalogPart, "kind" | "number">,
): Result<CatalogPart, Refusal> {
  const { parts } = message;
  const catalog = catalogFromProto(message);
  if (!catalog.ok) return catalog;
  if (number >= parts) return malformed("parts", `is ${parts}, and the part has the number ${number}`);
  return ok({ kind, number, parts, catalog: catalog.value });
}
