import type { Realm } from "@realmwatch/proto/svc/v1/query_pb";
import type { RealmView } from "../model/realm.ts";
import { durationOf, timestampOf } from "./fields/time.ts";
import { wireTogglesOf } from "./toggles.ts";

export const wireRealmOf = (realm: RealmView): Realm => ({
  $typeName: "svc.v1.Realm",
  name: realm.name,
  reachable: realm.reachable,
  lastSeen: timestampOf(realm.lastSeenAtMs),
  description: realm.description,
  labels: realm.labels,
  clockSkew: durationOf(realm.clockSkewMs),
  toggles: realm.toggles && wireTogglesOf(realm.toggles),
});
