import type { HistoryRecord as WireRecord } from "@realmwatch/proto/svc/v1/query_pb";
import type { RealmEvent } from "@realmwatch/proto/svc/v1/state_pb";
import type { Comment } from "../model/annotation.ts";
import type { Downtime } from "../model/downtime.ts";
import type { HistoryRecord } from "../model/history.ts";
import type { ObjectKey } from "../model/object-key.ts";
import type { Refusal } from "../model/refusal.ts";
import { fail, type Result } from "../model/result.ts";
import { acknowledgementFromProto, commentFromProto, acknowledgementToProto, commentToProto } from "./rows/annotation.ts";
import { notificationDecisionFromProto, notificationDecisionToProto } from "./rows/notification-progress.ts";
import { downtimeFromProto, downtimeToProto } from "./rows/downtime.ts";
import { historyTypeCodec, notificationKindCodec, stateTypeCodec, statusCodec } from "./fields/enums.ts";
import { type FieldReader, fieldReader } from "./fields/field-reader.ts";
import { objectKeyFromProto, objectKeyToProto } from "./fields/object-ref.ts";
import { timestampFromProto, timestampToProto } from "./fields/time.ts";

/** The record for a client. Its id is its place in its realm's history. */
export const historyRecordToProto = (record: HistoryRecord): WireRecord => ({
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
});

/** The record as its realm publishes it. */
export const realmEventToProto = (record: HistoryRecord, realm: string): RealmEvent => ({
  $typeName: "svc.v1.RealmEvent",
  realm,
  seq: BigInt(record.seq),
  record: historyRecordToProto({ ...record, realm }),
});

/**
 * The record that a message tells; realm and seq are the message's own. What is empty on the wire is
 * left out, but for the level, which a notification always has.
 */
export function realmEventFromProto(event: RealmEvent): Result<HistoryRecord, Refusal> {
  const wire = event.record;
  if (wire === undefined) return fail({ kind: "malformed", field: "record", why: "is unset" });
  if (event.seq > Number.MAX_SAFE_INTEGER) return fail({ kind: "malformed", field: "seq", why: "is above 2^53" });
  const reader = fieldReader();
  return reader.finish({
    seq: Number(event.seq),
    realm: event.realm,
    atMs: reader.need("record.at", reader.take(timestampFromProto("record.at", wire.at), undefined), 0),
    type: reader.need("record.type", historyTypeCodec.fromProto(wire.type), "state"),
    ...present("key", reader.take<ObjectKey | undefined>(objectKeyFromProto("record.object", wire.object), undefined)),
    ...present("status", statusCodec.fromProto(wire.status)),
    ...present("previousStatus", statusCodec.fromProto(wire.previousStatus)),
    ...present("stateType", stateTypeCodec.fromProto(wire.stateType)),
    ...present("attempt", wire.attempt || undefined),
    ...present("notificationKind", notificationKindCodec.fromProto(wire.notificationKind)),
    ...present("level", wire.notificationKind === 0 ? wire.level || undefined : wire.level),
    ...present("because", reader.take(notificationDecisionFromProto("record.because", wire.because), undefined)),
    ...textsOf(wire),
    ...annotationsOf(reader, wire),
  });
}

const annotationsOf = (reader: FieldReader, { acknowledgement, downtime, deletedComment }: WireRecord) => ({
  ...present("acknowledgement", reader.take(acknowledgementFromProto("record.acknowledgement", acknowledgement), undefined)),
  ...present(
    "downtime",
    downtime && reader.take<Downtime | undefined>(downtimeFromProto("record.downtime", downtime), undefined),
  ),
  ...present(
    "deletedComment",
    deletedComment && reader.take<Comment | undefined>(commentFromProto("record.deletedComment", deletedComment), undefined),
  ),
});

const textsOf = (wire: WireRecord) => ({
  ...present("output", wire.output || undefined),
  ...present("author", wire.author || undefined),
  ...present("onBehalfOf", wire.onBehalfOf || undefined),
  ...present("comment", wire.comment || undefined),
  ...present("contact", wire.contact || undefined),
  ...present("downtimeId", wire.downtimeId || undefined),
  ...present("commentId", wire.commentId || undefined),
});

/** A property where there is a value, and none where there is not. */
const present = <Name extends string, T>(name: Name, value: T | undefined): { readonly [N in Name]?: T } =>
  (value === undefined ? {} : { [name]: value }) as { readonly [N in Name]?: T };
