import { AuditOutcome as WireAuditOutcome, AuditSource as WireAuditSource } from "@realmwatch/proto/svc/v1/admin_pb";
import {
  NotificationKind as WireNotificationKind,
  ObjectKind as WireObjectKind,
  Role as WireRole,
  StateType as WireStateType,
  Status as WireStatus,
} from "@realmwatch/proto/svc/v1/common_pb";
import { HistoryType as WireHistoryType } from "@realmwatch/proto/svc/v1/query_pb";
import { type AuditOutcome, type AuditSource, auditOutcomes, auditSources } from "../../model/audit.ts";
import { type HistoryType, historyTypes } from "../../model/history.ts";
import { type NotificationKind, notificationKinds } from "../../model/notification.ts";
import { type ObjectKind, objectKinds } from "../../model/object-key.ts";
import { type Role, roles } from "../../model/role.ts";
import { type StateType, type Status, statuses } from "../../model/status.ts";

/** One of our words and the contract's enum: the same names, there in upper case. */
export type EnumCodec<Word extends string, Wire extends number> = {
  /** undefined becomes 0, which every enum calls UNSPECIFIED. */
  toProto(word: Word | undefined): Wire | 0;
  /** undefined for 0 and for numbers of a newer release. */
  fromProto(wire: number): Word | undefined;
};

export const statusCodec = enumCodec<Status, WireStatus>(statuses, WireStatus);
export const stateTypeCodec = enumCodec<StateType, WireStateType>(["soft", "hard"], WireStateType);
export const objectKindCodec = enumCodec<ObjectKind, WireObjectKind>(objectKinds, WireObjectKind);
export const notificationKindCodec = enumCodec<NotificationKind, WireNotificationKind>(
  notificationKinds,
  WireNotificationKind,
);
export const historyTypeCodec = enumCodec<HistoryType, WireHistoryType>(historyTypes, WireHistoryType);
export const auditSourceCodec = enumCodec<AuditSource, WireAuditSource>(auditSources, WireAuditSource);
export const auditOutcomeCodec = enumCodec<AuditOutcome, WireAuditOutcome>(auditOutcomes, WireAuditOutcome);
export const roleCodec = enumCodec<Role, WireRole>(roles, WireRole);

/** A word without its namesake in `wire` does not compile. */
function enumCodec<Word extends string, Wire extends number>(
  words: readonly Word[],
  wire: Readonly<Record<Uppercase<Word>, Wire>>,
): EnumCodec<Word, Wire> {
  const numberOf = (word: Word): Wire => wire[word.toUpperCase() as Uppercase<Word>];
  const wireByWord = new Map(words.map((word) => [word, numberOf(word)]));
  const wordByWire = new Map<number, Word>(words.map((word) => [numberOf(word), word]));
  return {
    toProto: (word) => (word === undefined ? 0 : (wireByWord.get(word) ?? 0)),
    fromProto: (number) => wordByWire.get(number),
  };
}
