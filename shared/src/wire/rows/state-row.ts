import { toBinary } from "@bufbuild/protobuf";
import type { ObjectRow } from "@realmwatch/proto/svc/v1/query_pb";
import { type StateRow, StateRowSchema } from "@realmwatch/proto/svc/v1/state_pb";
import type { ObjectKey } from "../../model/object-key.ts";
import type { Refusal } from "../../model/refusal.ts";
import { fail, ok, type Result } from "../../model/result.ts";
import type { Row, RowChange } from "../../model/row.ts";
import { objectKindCodec } from "../fields/enums.ts";
import { fieldReader } from "../fields/field-reader.ts";
import { objectKeyFromProto, objectKeyToProto } from "../fields/object-ref.ts";
import { timestampToProto } from "../fields/time.ts";
import { truncateUtf8, utf8Length } from "../fields/utf8.ts";
import { objectRowFromProto, objectRowToProto } from "./row.ts";

/** Maximum size of an encoded StateRow, bytes; well below NATS' default message limit of 1 MiB. */
export const maxStateRowBytes = 512 * 1024;

/** Origin of a message: its realm, the time at which the agent wrote it, Unix ms, and its number in the epoch, from 1. */
export type StateRowStamp = { readonly realm: string; readonly atMs: number; readonly published?: number };

/** Converts a change to a message: a whole row, or a tombstone for a removed object. */
export const rowChangeToProto = (change: RowChange, published: StateRowStamp): StateRow =>
  change.kind === "put" ? stateRowToProto(change.row, published) : deletedStateRowToProto(change, published);

/**
 * Converts a row to a message. If it exceeds `maxStateRowBytes`, the long output is cut first, then the comments'
 * texts, then other texts of users and plugins, and `truncated` is set.
 */
export function stateRowToProto(row: Row, published: StateRowStamp): StateRow {
  const message = messageOf(row, objectRowToProto({ ...row, realm: published.realm }), published);
  return mayOutgrow(row) ? shrink(message) : message;
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
  if (message.row === undefined) return fail({ kind: "malformed", field: "row", why: "is unset" });
  const published = Number(message.published);
  if (message.deleted) return dropOf(message.row, { ...from.value, published });
  const row = objectRowFromProto(message.row, from.value);
  return row.ok ? ok({ kind: "put", row: row.value, ...(published > 0 ? { published } : {}) }) : row;
}

type Version = { readonly realm: string; readonly epoch: number; readonly revision: number };

function versionOf({ realm, epoch, revision }: StateRow): Result<Version, Refusal> {
  if (epoch > Number.MAX_SAFE_INTEGER) return fail({ kind: "malformed", field: "epoch", why: "is above 2^53" });
  if (revision > Number.MAX_SAFE_INTEGER) return fail({ kind: "malformed", field: "revision", why: "is above 2^53" });
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
  return { ...emptyRow, kind: objectKindCodec.toProto(key.kind), object: objectKeyToProto(key), realm };
}

const emptyRow: ObjectRow = {
  $typeName: "svc.v1.ObjectRow",
  kind: 0,
  realm: "",
  status: 0,
  stateType: 0,
  attempt: 0,
  maxAttempts: 0,
  lastHardStatus: 0,
  output: "",
  longOutput: "",
  perfdata: [],
  checkSource: "",
  flapValue: 0,
  downtimes: [],
  comments: [],
  checkPeriod: "",
  notificationPeriod: "",
  zone: "",
  suppressedBy: [],
  revision: "",
  labels: {},
  parents: [],
  checkType: "",
  rule: "",
};

/** Estimated size of a delivery with its error, bytes. */
const maxDeliveryBytes = 1_500;
/** Number of deliveries that a row which is too large keeps, without their errors. */
const maxDeliveriesOfLargeRow = 200;

/** Estimates whether a row may exceed the limit: a UTF-16 unit takes at most 3 bytes, and other fields are small. */
function mayOutgrow(row: Row): boolean {
  const texts = row.longOutput.length + row.output.length + row.about.rule.length;
  const notes = [...row.comments.map((comment) => comment.text), ...row.downtimes.map((downtime) => downtime.comment)];
  const written = notes.reduce((sum, text) => sum + text.length, row.acknowledgement?.comment.length ?? 0);
  const entries = row.perfdata.length + row.comments.length + row.downtimes.length + row.suppressedBy.length;
  const deliveries = row.notification?.deliveries.length ?? 0;
  return 3 * (texts + written) + 512 * entries + maxDeliveryBytes * deliveries > maxStateRowBytes / 2;
}

const sizeOf = (message: StateRow): number => toBinary(StateRowSchema, message).length;

function shrink(message: StateRow): StateRow {
  let shrunk = message;
  for (const cut of cuts) {
    const excess = sizeOf(shrunk) - maxStateRowBytes;
    if (excess <= 0) return shrunk;
    if (shrunk.row !== undefined) shrunk = { ...shrunk, row: cut(shrunk.row, excess), truncated: true };
  }
  return shrunk;
}

/** Size that a longer length prefix and `truncated` can add, bytes. */
const slackBytes = 16;
const shortTextBytes = 256;

const cuts: readonly ((row: ObjectRow, excessBytes: number) => ObjectRow)[] = [
  (row, excess) => ({
    ...row,
    longOutput: truncateUtf8(row.longOutput, utf8Length(row.longOutput) - excess - slackBytes),
  }),
  (row) => cutComments(row, shortTextBytes),
  (row) => cutNotes(cutComments(row, 0), shortTextBytes),
  (row) => ({ ...row, output: truncateUtf8(row.output, shortTextBytes), perfdata: [] }),
  (row) => ({
    ...row,
    notification: row.notification && {
      ...row.notification,
      deliveries: row.notification.deliveries.slice(-maxDeliveriesOfLargeRow).map((each) => ({ ...each, error: "" })),
    },
  }),
  (row) => ({ ...row, comments: [], downtimes: row.downtimes.slice(0, 100), suppressedBy: [], rule: "" }),
];

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
