import { RealmFreshness as ProtoRealmFreshness, type Realm } from "@realmwatch/proto/svc/v1/query_pb";
import type { RealmFreshness, RealmView } from "../model/realm.ts";
import { durationToProto, timestampToProto } from "./fields/time.ts";
import { togglesToProto } from "./toggles.ts";

const protoFreshness = {
  current: ProtoRealmFreshness.CURRENT,
  behind: ProtoRealmFreshness.BEHIND,
  rebuilding: ProtoRealmFreshness.REBUILDING,
  conflict: ProtoRealmFreshness.CONFLICT,
  unreachable: ProtoRealmFreshness.UNREACHABLE,
  unknown: ProtoRealmFreshness.UNKNOWN,
} satisfies Record<RealmFreshness, ProtoRealmFreshness>;

export const realmToProto = (realm: RealmView): Realm => ({
  $typeName: "svc.v1.Realm",
  name: realm.name,
  reachable: realm.reachable,
  lastSeen: timestampToProto(realm.lastSeenAtMs),
  description: realm.description,
  labels: realm.labels,
  clockSkew: durationToProto(realm.clockSkewMs),
  toggles: realm.toggles && togglesToProto(realm.toggles),
  freshness: protoFreshness[realm.freshness],
  behindSince: timestampToProto(realm.behindSinceMs),
  rowsHeld: realm.rowsHeld,
  rowsExpected: realm.rowsExpected,
  detail: realm.detail,
  version: realm.version,
});
