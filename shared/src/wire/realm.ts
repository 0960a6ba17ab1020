import type { Realm } from "@realmwatch/proto/svc/v1/query_pb";
import type { RealmView } from "../model/realm.ts";
import { realmFreshnessCodec } from "./fields/enums.ts";
import { durationToProto, timestampToProto } from "./fields/time.ts";
import { pairToProto } from "./pair-status.ts";
import { togglesCodec } from "./toggles.ts";

export const realmToProto = (realm: RealmView): Realm => ({
  $typeName: "svc.v1.Realm",
  name: realm.name,
  reachable: realm.reachable,
  lastSeen: timestampToProto(realm.lastSeenAtMs),
  description: realm.description,
  labels: realm.labels,
  clockSkew: durationToProto(realm.clockSkewMs),
  toggles: realm.toggles && togglesCodec.toProto(realm.toggles),
  freshness: realmFreshnessCodec.toProto(realm.freshness),
  behindSince: timestampToProto(realm.behindSinceMs),
  rowsHeld: realm.rowsHeld,
  rowsExpected: realm.rowsExpected,
  detail: realm.detail,
  version: realm.version,
  ...(realm.pair && { pair: pairToProto(realm.pair) }),
});
