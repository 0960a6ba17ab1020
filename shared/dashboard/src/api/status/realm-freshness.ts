import type { Realm } from "@realmwatch/proto/svc/v1/query_pb";
import { realmFreshnessOf } from "@realmwatch/shared/view/realm-freshness";
import { optionalMs, type StatusItem } from "./status-item.ts";

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
