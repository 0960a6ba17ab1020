import type { HistoryRecord as WireRecord } from "@realmwatch/proto/svc/v1/query_pb";
import type { RealmEvent } from "@realmwatch/proto/svc/v1/state_pb";
import type { Comment } from "../model/annotation.ts";
import type { Downtime } from "../model/downtime.ts";
import type { HistoryRecord } from "../model/history.ts";
import type { ObjectKey } from "../model/object-key.ts";
import type { Refusal } from "../model/refusal.ts";
import { fail, type Result } from "../model/result.ts";
import { acknowledgementOf, commentOf, wireAcknowledgementOf, wireCommentOf } from "./rows/annotation.ts";
import { becauseOf, wireBecauseOf } from "./rows/notification-progress.ts";
import { downtimeOf, wireDowntimeOf } from "./rows/downtime.ts";
import { historyTypeCodec, notificationKindCodec, stateTypeCodec, statusCodec } from "./fields/enums.ts";
import { type FieldReader, fieldReader } from "./fields/field-reader.ts";
import { keyOfRef, objectRefOf } from "./fields/object-ref.ts";
import { instantOf, timestampOf } from "./fields/time.ts";

/** The record for a client. Its id is its place in its realm's history. */
export const wireRecordOf = (record: HistoryRecord): WireRecord => ({
  $typeName: "svc.v1.HistoryRecord",
  id: `${record.seq}`,
  at: timestampOf(record.atMs),
  realm: record.realm,
  object: record.key && objectRefOf(record.key),
  type: historyTypeCodec.toWire(record.type),
  status: statusCodec.toWire(record.status),
  previousStatus: statusCodec.toWire(record.previousStatus),
  stateType: stateTypeCodec.toWire(record.stateType),
  attempt: record.attempt ?? 0,
  output: record.output ?? "",
  author: record.author ?? "",
  onBehalfOf: record.onBehalfOf ?? "",
  comment: record.comment ?? "",
  notificationKind: notificationKindCodec.toWire(record.notificationKind),
  contact: record.contact ?? "",
  level: record.level ?? 0,
  because: record.because && wireBecauseOf(record.because),
  downtimeId: record.downtimeId ?? "",
  commentId: record.commentId ?? "",
  acknowledgement: record.acknowledgement && wireAcknowledgementOf(record.acknowledgement),
  downtime: record.downtime && wireDowntimeOf(record.downtime),
  deletedComment: record.deletedComment && wireCommentOf(record.deletedComment),
});

/** The record as its realm publishes it. */
export const realmEventOf = (record: HistoryRecord, realm: string): RealmEvent => ({
  $typeName: "svc.v1.RealmEvent",
  realm,
  seq: BigInt(record.seq),
  record: wireRecordOf({ ...record, realm }),
});

/**
 * The record that a message tells; realm and seq are the message's own. What is empty on the wire is
 * left out, but for the level, which a notification always has.
 */
export function recordOfEvent(event: RealmEvent): Result<HistoryRecord, Refusal> {
  const wire = event.record;
  if (wire === undefined) return fail({ kind: "malformed", field: "record", why: "is unset" });
  if (event.seq > Number.MAX_SAFE_INTEGER) return fail({ kind: "malformed", field: "seq", why: "is above 2^53" });
  const reader = fieldReader();
  return reader.finish({
    seq: Number(event.seq),
    realm: event.realm,
    atMs: reader.need("record.at", reader.take(instantOf("record.at", wire.at), undefined), 0),
    type: reader.need("record.type", historyTypeCodec.fromWire(wire.type), "state"),
    ...present("key", reader.take<ObjectKey | undefined>(keyOfRef("record.object", wire.object), undefined)),
    ...present("status", statusCodec.fromWire(wire.status)),
    ...present("previousStatus", statusCodec.fromWire(wire.previousStatus)),
    ...present("stateType", stateTypeCodec.fromWire(wire.stateType)),
    ...present("attempt", wire.attempt || undefined),
    ...present("notificationKind", notificationKindCodec.fromWire(wire.notificationKind)),
    ...present("level", wire.notificationKind === 0 ? wire.level || undefined : wire.level),
    ...present("because", reader.take(becauseOf("record.because", wire.because), undefined)),
    ...textsOf(wire),
    ...annotationsOf(reader, wire),
  });
}

const annotationsOf = (reader: FieldReader, { acknowledgement, downtime, deletedComment }: WireRecord) => ({
  ...present("acknowledgement", reader.take(acknowledgementOf("record.acknowledgement", acknowledgement), undefined)),
  ...present(
    "downtime",
    downtime && reader.take<Downtime | undefined>(downtimeOf("record.downtime", downtime), undefined),
  ),
  ...present(
    "deletedComment",
    deletedComment && reader.take<Comment | undefined>(commentOf("record.deletedComment", deletedComment), undefined),
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
