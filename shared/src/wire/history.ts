import { HistoryRecordSchema, type HistoryRecord as ProtoRecord } from "@realmwatch/proto/svc/v1/query_pb";
import type { RealmEvent } from "@realmwatch/proto/svc/v1/state_pb";
import type { HistoryEntry, HistoryRecord } from "../model/history.ts";
import { malformed, type Refusal } from "../model/refusal.ts";
import type { Result } from "../model/result.ts";
import {
  enumField,
  historyTypeCodec,
  notificationKindCodec,
  optionalEnumField,
  stateTypeCodec,
  statusCodec,
} from "./fields/enums.ts";
import {
  absentField,
  markField,
  numberField,
  optionalField,
  optionalInstantField,
  requiredField,
  textField,
} from "./fields/field-codec.ts";
import { fieldReader } from "./fields/field-reader.ts";
import { type MessageFields, messageDecoder } from "./fields/field-table.ts";
import { messageEncoder } from "./fields/message-codec.ts";
import { optionalObjectField } from "./fields/object-ref.ts";
import { historyPairCodec } from "./pair-status.ts";
import { acknowledgementCodec, commentCodec } from "./rows/annotation.ts";
import { downtimeCodec } from "./rows/downtime.ts";
import { notificationDecisionCodec } from "./rows/notification-progress.ts";

/** Fields of a record beside its number and realm. Their order is that of stored records. */
const recordFields = {
  atMs: ["at", requiredField(optionalInstantField, 0)],
  type: ["type", enumField(historyTypeCodec, "state")],
  key: ["object", optionalObjectField],
  status: ["status", optionalEnumField(statusCodec)],
  previousStatus: ["previousStatus", optionalEnumField(statusCodec)],
  stateType: ["stateType", optionalEnumField(stateTypeCodec)],
  attempt: ["attempt", absentField(numberField)],
  notificationKind: ["notificationKind", optionalEnumField(notificationKindCodec)],
  level: ["level", absentField(numberField)],
  because: ["because", notificationDecisionCodec],
  truncated: ["truncated", absentField(markField)],
  possibleDuplicate: ["possibleDuplicate", absentField(markField)],
  stoppedAtMs: ["stoppedAt", optionalInstantField],
  output: ["output", absentField(textField)],
  author: ["author", absentField(textField)],
  onBehalfOf: ["onBehalfOf", absentField(textField)],
  comment: ["comment", absentField(textField)],
  contact: ["contact", absentField(textField)],
  downtimeId: ["downtimeId", absentField(textField)],
  changeId: ["changeId", absentField(textField)],
  divergedFrom: ["divergedFrom", absentField(textField)],
  pair: ["pair", historyPairCodec],
  commentId: ["commentId", absentField(textField)],
  acknowledgement: ["acknowledgement", optionalField(acknowledgementCodec)],
  downtime: ["downtime", optionalField(downtimeCodec)],
  deletedComment: ["deletedComment", optionalField(commentCodec)],
} satisfies MessageFields<HistoryEntry, ProtoRecord>;
const encodeFields = messageEncoder<HistoryEntry, ProtoRecord, typeof HistoryRecordSchema>(
  HistoryRecordSchema,
  recordFields,
);
const decodeFields = messageDecoder<HistoryEntry, ProtoRecord>(recordFields);

/** Converts a record for clients. Its id is the sequence number in its realm's history. */
export function historyRecordToProto(record: HistoryRecord): ProtoRecord {
  const proto = encodeFields(record);
  proto.id = `${record.seq}`;
  proto.realm = record.realm;
  return proto;
}

/** Converts a record to the message that its realm publishes, with the number of its newest accepted command. */
export const realmEventToProto = (record: HistoryRecord, realm: string, commandSeq = 0): RealmEvent => ({
  $typeName: "svc.v1.RealmEvent",
  realm,
  seq: BigInt(record.seq),
  record: historyRecordToProto({ ...record, realm }),
  commandSeq: BigInt(commandSeq),
});

/**
 * Converts a message to a history record; realm and seq are those of the message. Empty fields become absent, except
 * for the level, which every notification has.
 */
export function realmEventFromProto(event: RealmEvent): Result<HistoryRecord, Refusal> {
  const proto = event.record;
  if (proto === undefined) return malformed("record", "is unset");
  if (event.seq > Number.MAX_SAFE_INTEGER) return malformed("seq", "is above 2^53");
  const reader = fieldReader();
  const fields = decodeFields(proto, reader, "record.");
  const entry = proto.notificationKind === 0 ? fields : { ...fields, level: proto.level };
  return reader.finish({ seq: Number(event.seq), realm: event.realm, ...presentFields(entry) });
}

function presentFields<T extends object>(values: T): T {
  const present: Partial<T> = {};
  for (const name in values) if (values[name] !== undefined) present[name] = values[name];
  return present as T;
}
