import { type Realm, RealmFreshness as WireFreshness } from "@realmwatch/proto/svc/v1/query_pb";
import type { RealmFreshness } from "@realmwatch/shared/model/realm";
import { optionalMs, type StatusItem } from "./status-item.ts";

const freshnessByWire: Readonly<Record<number, RealmFreshness>> = {
  [WireFreshness.CURRENT]: "current",
  [WireFreshness.BEHIND]: "behind",
  [WireFreshness.REBUILDING]: "rebuilding",
  [WireFreshness.CONFLICT]: "conflict",
  [WireFreshness.UNREACHABLE]: "unreachable",
  [WireFreshness.UNKNOWN]: "unknown",
};

/**
 * Freshness of a realm. A server that sends none is judged by `reachable`; a freshness of a newer server is `unknown`,
 * never `current`.
 */
export function realmFreshnessOf({ freshness, reachable }: Realm): RealmFreshness {
  if (freshness === WireFreshness.UNSPECIFIED) return reachable === true ? "current" : "unreachable";
  return freshnessByWire[freshness] ?? "unknown";
}

export const isCurrent = (realm: Realm): boolean => realmFreshnessOf(realm) === "current";

/** Time that the rows of a realm are known for, Unix ms: up to which they were complete, else of its last message. */
export const lastKnownAtMs = ({ behindSince, lastSeen }: Realm): number | undefined =>
  optionalMs(behindSince) ?? optionalMs(lastSeen);

/** Returns true for a row that is only last known. */
export type IsStale = (item: Pick<StatusItem, "realm" | "row">) => boolean;

/**
 * Judges rows by the freshness of their realms, which every response has: polled rows are sent again only when they
 * change, so their `stale` may be older. It counts for a realm that is not listed.
 */
export function staleCheckOf(realms: readonly Realm[]): IsStale {
  const current = new Map(realms.map((realm) => [realm.name, isCurrent(realm)]));
  return ({ realm, row }) => !(current.get(realm) ?? row.stale !== true);
}
