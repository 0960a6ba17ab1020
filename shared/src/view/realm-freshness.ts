import { RealmFreshness as ProtoRealmFreshness, type Realm } from "@realmwatch/proto/svc/v1/query_pb";
import type { RealmFreshness } from "../model/realm.ts";
import { realmFreshnessCodec } from "../wire/fields/enums.ts";

/**
 * Freshness of a realm. A server that sends none is judged by `reachable`; a freshness of a newer server is `unknown`,
 * never `current`.
 */
export function realmFreshnessOf({ freshness, reachable }: Realm): RealmFreshness {
  if (freshness === ProtoRealmFreshness.UNSPECIFIED) return reachable === true ? "current" : "unreachable";
  return realmFreshnessCodec.fromProto(freshness) ?? "unknown";
}
