import type { Realm } from "@realmwatch/proto/svc/v1/query_pb";

/** Replaces the records of changed realms, and keeps their order. */
export function mergeRealms(before: readonly Realm[], changed: readonly Realm[]): readonly Realm[] {
  if (changed.length === 0) return before;
  const realms = new Map(before.map((realm) => [realm.name, realm]));
  for (const realm of changed) realms.set(realm.name, realm);
  return [...realms.values()];
}
