import { type ObjectRow, ObjectRowSchema, type StatusRow, StatusRowSchema } from "@realmwatch/proto/svc/v1/query_pb";
import { refOf } from "../model/object-key.ts";
import type { Refusal } from "../model/refusal.ts";
import type { Result } from "../model/result.ts";
import { objectKindCodec } from "../wire/fields/enums.ts";
import { fieldReader } from "../wire/fields/field-reader.ts";
import { messageDecoder } from "../wire/fields/field-table.ts";
import { messageEncoder } from "../wire/fields/message-codec.ts";
import type { Row, RowContent, RowOrigin } from "./row.ts";
import { rowFields } from "./row-fields.ts";

const encodeObjectRow = messageEncoder<RowContent, ObjectRow, typeof ObjectRowSchema>(ObjectRowSchema, rowFields);
const encodeStatusRow = messageEncoder<RowContent, ObjectRow, typeof StatusRowSchema>(StatusRowSchema, rowFields);
const decodeRow = messageDecoder<RowContent, ObjectRow>(rowFields);

/** Sets the fields that are not in the table. `revision` changes with every field, and clients treat it as opaque. */
function withOrigin<Proto extends StatusRow | ObjectRow>(message: Proto, row: Row): Proto {
  const { about, realm, epoch, revision } = row;
  message.kind = objectKindCodec.toProto(about.key.kind);
  message.realm = realm;
  message.revision = `${epoch}.${revision}${derivedRevision(row)}`;
  return message;
}

/** Part of a revision that follows from other objects and from contacts; empty for a row of which nothing follows. */
function derivedRevision({ impact, cause, notification }: Row): string {
  const waitingFor = notification?.waitingFor;
  if (impact === undefined && cause === undefined && waitingFor === undefined) return "";
  const parts = impact?.counts.map(({ kind, status, count }) => `${kind}-${status}-${count}`) ?? [];
  if (cause !== undefined) parts.push(refOf(cause));
  if (waitingFor !== undefined) parts.push(`${waitingFor.contact}-${waitingFor.failingSinceMs}`);
  return `.${parts.join(".")}`;
}

export const statusRowToProto = (row: Row): StatusRow => withOrigin(encodeStatusRow(row), row);
export const objectRowToProto = (row: Row): ObjectRow => withOrigin(encodeObjectRow(row), row);

/** The reverse of `objectRowToProto`. The caller supplies the origin. */
export function objectRowFromProto(proto: ObjectRow, { realm, epoch, revision }: RowOrigin): Result<Row, Refusal> {
  const reader = fieldReader();
  return reader.finish({ realm, epoch, revision, ...decodeRow(proto, reader, "") });
}
