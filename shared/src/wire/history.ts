import type { HistoryRecord as ProtoRecord } from "@realmwatch/proto/svc/v1/query_pb";
import type { RealmEvent } from "@realmwatch/proto/svc/v1/state_pb";
import type { Comment } from "../model/annotation.ts";
import type { Downtime } from "../model/downtime.ts";
import type { HistoryRecord } from "../model/history.ts";
import type { ObjectKey } from "../model/object-key.ts";
import type { Refusal } from "../model/refusal.ts";
import { fail, type Result } from "../model/result.ts";
import { historyTypeCodec, notificationKindCodec, stateTypeCodec, statusCodec } from "./fields/enums.ts";
import { type FieldReader, fieldReader } from "./fields/field-reader.ts";
import { objectKeyFromProto, objectKeyToProto } from "./fields/object-ref.ts";
import { timestampFromProto, timestampToProto } from "./fields/time.ts";
import {
  acknowledgementFromProto,
  acknowledgementToProto,
  commentFromProto,
  commentToProto,
} from "./rows/annotation.ts";
import { downtimeFromProto, downtimeToProto } from "./rows/downtime.ts";
import { notificationDecisionFromProto, notificationDecisionToProto } from "./rows/notification-progress.ts";

/** Converts a record for clients. Its id is the sequence number in its realm's history. */
export const historyRecordToProto = (record: HistoryRecord): ProtoRecord => ({
  $typeName: "svc.v1.HistoryRecord",
  id: `${record.seq}`,
  at: timestampToProto(record.atMs),
  realm: record.realm,
  object: record.key && objectKeyToProto(record.key),
  type: historyTypeCodec.toProto(record.type),
  status: statusCodec.toProto(record.status),
  previousStatus: statusCodec.toProto(record.previousStatus),
  stateType: stateTypeCodec.toProto(record.stateType),
  attempt: record.attempt ?? 0,
  output: record.output ?? "",
  author: record.author ?? "",
  onBehalfOf: record.onBehalfOf ?? "",
  comment: record.comment ?? "",
  notificationKind: notificationKindCodec.toProto(record.notificationKind),
  contact: record.contact ?? "",
  level: record.level ?? 0,
  because: record.because && notificationDecisionToProto(record.because),
  downtimeId: record.downtimeId ?? "",
  commentId: record.commentId ?? "",
  acknowledgement: record.acknowledgement && acknowledgementToProto(record.acknowledgement),
  downtime: record.downtime && downtimeToProto(record.downtime),
  deletedComment: record.deletedComment && commentToProto(record.deletedComment),
  stoppedAt: timestampToProto(record.stoppedAtMs),
  truncated: record.truncated ?? false,
});

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
  if (proto === undefined) return fail({ kind: "malformed", field: "record", why: "is unset" });
  if (event.seq > Number.MAX_SAFE_INTEGER) return fail({ kind: "malformed", field: "seq", why: "is above 2^53" });
  const reader = fieldReader();
  return reader.finish({
    seq: Number(event.seq),
    realm: event.realm,
    atMs: reader.need("record.at", reader.take(timestampFromProto("record.at", proto.at), undefined), 0),
    type: reader.need("record.type", historyTypeCodec.fromProto(proto.type), "state"),
    ...present("key", reader.take<ObjectKey | undefined>(objectKeyFromProto("record.object", proto.object), undefined)),
    ...present("status", statusCodec.fromProto(proto.status)),
    ...present("previousStatus", statusCodec.fromProto(proto.previousStatus)),
    ...present("stateType", stateTypeCodec.fromProto(proto.stateType)),
    ...present("attempt", proto.attempt || undefined),
    ...present("notificationKind", notificationKindCodec.fromProto(proto.notificationKind)),
    ...present("level", proto.notificationKind === 0 ? proto.level || undefined : proto.level),
    ...present("because", reader.take(notificationDecisionFromProto("record.because", proto.because), undefined)),
    ...present("truncated", proto.truncated || undefined),
    ...present("stoppedAtMs", reader.take(timestampFromProto("record.stopped_at", proto.stoppedAt), undefined)),
    ...textsFromProto(proto),
    ...annotationsFromProto(reader, proto),
  });
}

const annotationsFromProto = (reader: FieldReader, { acknowledgement, downtime, deletedComment }: ProtoRecord) => ({
  ...present(
    "acknowledgement",
    reader.take(acknowledgementFromProto("record.acknowledgement", acknowledgement), undefined),
  ),
  ...present(
    "downtime",
    downtime && reader.take<Downtime | undefined>(downtimeFromProto("record.downtime", downtime), undefined),
  ),
  ...present(
    "deletedComment",
    deletedComment &&
      reader.take<Comment | undefined>(commentFromProto("record.deletedComment", deletedComment), undefined),
  ),
});

const textsFromProto = (proto: ProtoRecord) => ({
  ...present("output", proto.output || undefined),
  ...present("author", proto.author || undefined),
  ...present("onBehalfOf", proto.onBehalfOf || undefined),
  ...present("comment", proto.comment || undefined),
  ...present("contact", proto.contact || undefined),
  ...present("downtimeId", proto.downtimeId || undefined),
  ...present("commentId", proto.commentId || undefined),
});

/** Object with one property, or none when the value is undefined. */
const present = <Name extends string, T>(name: Name, value: T | undefined): { readonly [N in Name]?: T } =>
  (value === undefined ? {} : { [name]: value }) as { readonly [N in Name]?: T };
