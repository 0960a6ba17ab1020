import { create, toBinary } from "@bufbuild/protobuf";
import { PerfPointSchema } from "@realmwatch/proto/svc/v1/common_pb";
import { type ObjectRow, ObjectRowSchema } from "@realmwatch/proto/svc/v1/query_pb";
import { type StateRow, StateRowSchema } from "@realmwatch/proto/svc/v1/state_pb";
import type { ObjectKey } from "../model/object-key.ts";
import { malformed, type Refusal } from "../model/refusal.ts";
import { ok, type Result } from "../model/result.ts";
import { truncateUtf8, utf8Length } from "../text/utf8.ts";
import { objectKindCodec } from "../wire/fields/enums.ts";
import { fieldReader } from "../wire/fields/field-reader.ts";
import { objectKeyFromProto, objectKeyToProto } from "../wire/fields/object-ref.ts";
import { timestampToProto } from "../wire/fields/time.ts";
import type { Row, RowChange } from "./row.ts";
import { objectRowFromProto, objectRowToProto } from "./row-codec.ts";

/** Maximum size of an encoded StateRow, bytes; well below NATS' default message limit of 1 MiB. */
const maxStateRowBytes = 512 * 1024;

/** Origin of a message: its realm, the time at which the agent wrote it, Unix ms, and its number in the epoch, from 1. */
type StateRowStamp = { readonly realm: string; readonly atMs: number; readonly published?: number };

/** Converts a change to a message: a whole row, or a tombstone for a removed object. */
export const rowChangeToProto = (change: RowChange, published: StateRowStamp): StateRow =>
  change.kind === "put" ? stateRowToProto(change.row, published) : deletedStateRowToProto(change, published);

export const stateRowToProto = (row: Row, published: StateRowStamp): StateRow =>
  messageOf(row, objectRowToProto({ ...row, realm: published.realm }), published);

/**
 * [WI6] Encodes a change. A row above 512 KiB, or above `maxBytes` if that is less, is cut: the long output first, then
 * the performance data, the comments' texts, the output and other texts and lists; `truncated` is set. A row whose labels
 * or names alone are larger stays larger.
 */
export function encodeRowChange(change: RowChange, published: StateRowStamp, maxBytes: number): Uint8Array {
  const message = rowChangeToProto(change, published);
  const data = toBinary(StateRowSchema, message);
  const limit = Math.min(maxBytes, maxStateRowBytes);
  return data.length <= limit ? data : toBinary(StateRowSchema, shrink(message, limit));
}

function deletedStateRowToProto(drop: Extract<RowChange, { kind: "drop" }>, published: StateRowStamp): StateRow {
  return { ...messageOf(drop, tombstoneOf(drop.key, published.realm), published), deleted: true };
}

/**
 * Converts a message to a change; the realm is that of the message. `malformed` when a field is out of range, required
 * but unset, or of a newer release.
 */
export function rowChangeFromProto(message: StateRow): Result<RowChange, Refusal> {
  const from = versionOf(message);
  if (!from.ok) return from;
  if (message.row === undefined) return malformed("row", "is unset");
  const published = Number(message.published);
  if (message.deleted) return dropOf(message.row, { ...from.value, published });
  const row = objectRowFromProto(message.row, from.value);
  return row.ok ? ok({ kind: "put", row: row.value, ...(published > 0 ? { published } : {}) }) : row;
}

type Version = { readonly realm: string; readonly epoch: number; readonly revision: number };

function versionOf({ realm, epoch, revision }: StateRow): Result<Version, Refusal> {
  if (epoch > Number.MAX_SAFE_INTEGER) return malformed("epoch", "is above 2^53");
  if (revision > Number.MAX_SAFE_INTEGER) return malformed("revision", "is above 2^53");
  return ok({ realm, epoch: Number(epoch), revision: Number(revision) });
}

function dropOf(
  row: ObjectRow,
  { published, ...from }: Version & { readonly published: number },
): Result<RowChange, Refusal> {
  const reader = fieldReader();
  const named = reader.take(objectKeyFromProto("row.object", row.object), undefined);
  const key = reader.need<ObjectKey>("row.object", named, { kind: "host", name: "" });
  return reader.finish({ kind: "drop", key, ...from, ...(published > 0 ? { published } : {}) });
}

const messageOf = (version: Omit<Version, "realm">, row: ObjectRow, stamp: StateRowStamp): StateRow => ({
  $typeName: "svc.v1.StateRow",
  realm: stamp.realm,
  epoch: BigInt(version.epoch),
  revision: BigInt(version.revision),
  row,
  deleted: false,
  truncated: false,
  at: timestampToProto(stamp.atMs),
  published: BigInt(stamp.published ?? 0),
});

function tombstoneOf(key: ObjectKey, realm: string): ObjectRow {
  return create(ObjectRowSchema, { kind: objectKindCodec.toProto(key.kind), object: objectKeyToProto(key), realm });
}

/** Number of deliveries that a row which is too large keeps, without their errors. */
const maxDeliveriesOfLargeRow = 200;

const sizeOf = (message: StateRow): number => toBinary(StateRowSchema, message).length;

function shrink(message: StateRow, maxBytes: number): StateRow {
  let shrunk = message;
  for (const cut of cuts) {
    const excess = sizeOf(shrunk) - maxBytes;
    if (excess <= 0) return shrunk;
    if (shrunk.row !== undefined)
      shrunk = { ...shrunk, row: { ...cut(shrunk.row, excess + slackBytes), truncated: true }, truncated: true };
  }
  return shrunk;
}

/** Size that longer length prefixes and the marks of a cut can add, bytes. */
const slackBytes = 24;
const shortTextBytes = 256;

const cuts: readonly ((row: ObjectRow, excessBytes: number) => ObjectRow)[] = [
  (row, excess) => ({ ...row, longOutput: cutText(row.longOutput, excess) }),
  cutPerfdata,
  (row) => cutComments(row, shortTextBytes),
  (row) => cutNotes(cutComments(row, 0), shortTextBytes),
  (row, excess) => ({ ...row, output: cutText(row.output, excess) }),
  (row) => ({
    ...row,
    notification: row.notification && {
      ...row.notification,
      deliveries: row.notification.deliveries.slice(-maxDeliveriesOfLargeRow).map((each) => ({ ...each, error: "" })),
    },
  }),
  (row) => ({
    ...row,
    comments: [],
    downtimes: row.downtimes.slice(0, 100),
    suppressedBy: [],
    suppressors: [],
    rule: "",
  }),
  (row) => ({
    ...row,
    downtimes: row.downtimes.slice(0, 10),
    notification: row.notification && { ...row.notification, deliveries: row.notification.deliveries.slice(-10) },
  }),
];

const cutText = (text: string, excessBytes: number): string => truncateUtf8(text, utf8Length(text) - excessBytes);

/** Drops the last points, as many as needed. */
function cutPerfdata(row: ObjectRow, excessBytes: number): ObjectRow {
  const perfdata = [...row.perfdata];
  for (let left = excessBytes; left > 0; ) {
    const last = perfdata.pop();
    if (last === undefined) break;
    left -= toBinary(PerfPointSchema, last).length;
  }
  return { ...row, perfdata };
}

const cutComments = (row: ObjectRow, bytes: number): ObjectRow => ({
  ...row,
  comments: row.comments.map((comment) => ({ ...comment, text: truncateUtf8(comment.text, bytes) })),
});

const cutNotes = (row: ObjectRow, bytes: number): ObjectRow => ({
  ...row,
  acknowledgement: row.acknowledgement && {
    ...row.acknowledgement,
    comment: truncateUtf8(row.acknowledgement.comment, bytes),
  },
  downtimes: row.downtimes.map((downtime) => ({ ...downtime, comment: truncateUtf8(downtime.comment, bytes) })),
});
