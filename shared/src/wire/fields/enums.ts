import { AuditOutcome as ProtoAuditOutcome, AuditSource as ProtoAuditSource } from "@realmwatch/proto/svc/v1/admin_pb";
import {
  NotificationKind as ProtoNotificationKind,
  ObjectKind as ProtoObjectKind,
  Role as ProtoRole,
  StateType as ProtoStateType,
  Status as ProtoStatus,
} from "@realmwatch/proto/svc/v1/common_pb";
import {
  DeliveryState as ProtoDeliveryState,
  HistoryType as ProtoHistoryType,
  RealmFreshness as ProtoRealmFreshness,
} from "@realmwatch/proto/svc/v1/query_pb";
import { type AuditOutcome, type AuditSource, auditOutcomes, auditSources } from "../../model/audit.ts";
import { type HistoryType, historyTypes } from "../../model/history.ts";
import {
  type DeliveryState,
  deliveryStates,
  type NotificationKind,
  notificationKinds,
} from "../../model/notification.ts";
import { type ObjectKind, objectKinds } from "../../model/object-key.ts";
import { type RealmFreshness, realmFreshnesses } from "../../model/realm.ts";
import { type Role, roles } from "../../model/role.ts";
import { type StateType, type Status, stateTypes, statuses } from "../../model/status.ts";
import { type FieldCodec, requiredField } from "./field-codec.ts";

/** Codec of names and numbers of an enum of the API; the enum has the same names in upper case. */
export type EnumCodec<Name extends string, Proto extends number> = {
  /** Number of a name; 0, which is UNSPECIFIED in every enum, for undefined. */
  toProto(name: Name | undefined): Proto | 0;
  /** Name of a number; undefined for 0 and for unknown numbers of a newer release. */
  fromProto(proto: number): Name | undefined;
};

export const statusCodec = enumCodec<Status, ProtoStatus>(statuses, ProtoStatus);
export const stateTypeCodec = enumCodec<StateType, ProtoStateType>(stateTypes, ProtoStateType);
export const objectKindCodec = enumCodec<ObjectKind, ProtoObjectKind>(objectKinds, ProtoObjectKind);
export const notificationKindCodec = enumCodec<NotificationKind, ProtoNotificationKind>(
  notificationKinds,
  ProtoNotificationKind,
);
export const deliveryStateCodec = enumCodec<DeliveryState, ProtoDeliveryState>(deliveryStates, ProtoDeliveryState);
export const historyTypeCodec = enumCodec<HistoryType, ProtoHistoryType>(historyTypes, ProtoHistoryType);
export const auditSourceCodec = enumCodec<AuditSource, ProtoAuditSource>(auditSources, ProtoAuditSource);
export const auditOutcomeCodec = enumCodec<AuditOutcome, ProtoAuditOutcome>(auditOutcomes, ProtoAuditOutcome);
export const realmFreshnessCodec = enumCodec<RealmFreshness, ProtoRealmFreshness>(
  realmFreshnesses,
  ProtoRealmFreshness,
);
export const roleCodec = enumCodec<Role, ProtoRole>(roles, ProtoRole);

/** Creates a codec; a name that `proto` does not have is a compile error. */
export function enumCodec<Name extends string, Proto extends number>(
  names: readonly Name[],
  proto: Readonly<Record<Uppercase<Name>, Proto>>,
): EnumCodec<Name, Proto> {
  const numberOf = (name: Name): Proto => proto[name.toUpperCase() as Uppercase<Name>];
  const protoByName = new Map(names.map((name) => [name, numberOf(name)]));
  const nameByProto = new Map<number, Name>(names.map((name) => [numberOf(name), name]));
  return {
    toProto: (name) => (name === undefined ? 0 : (protoByName.get(name) ?? 0)),
    fromProto: (number) => nameByProto.get(number),
  };
}

/** Field of an enum; unset, and unknown numbers of a newer release, are undefined. */
export const optionalEnumField = <Name extends string, Proto extends number>(
  codec: EnumCodec<Name, Proto>,
): FieldCodec<Name | undefined, Proto | 0> => ({ blank: undefined, ...codec });

/** Field of an enum that every message has to set. */
export const enumField = <Name extends string, Proto extends number>(codec: EnumCodec<Name, Proto>, blank: Name) =>
  requiredField(optionalEnumField(codec), blank);
