import { create, toBinary } from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { ListStatusResponseSchema, StatusRowSchema } from "@realmwatch/proto/svc/v1/query_pb";
import type { Row } from "../../row/row.ts";
import { statusRowToProto } from "../../row/row-codec.ts";

/** Fields of a row that depend on the time and on its realm; `stale` is unset on an agent, which has no realms. */
export type RowMarks = { readonly overdue: boolean; readonly stale?: boolean };

/** Field of a message in the form in which it is written. */
type EncodedField = { readonly no: number; readonly wireType: WireType; readonly data: Uint8Array };
type EncodedRow = { readonly marks: RowMarks; readonly field: EncodedField };

/** Number of rows that are remembered. */
const maxRemembered = 4_096;

/**
 * Encodes rows as fields of ListStatusResponse. The last few thousand are remembered: clients that follow a list at
 * different times get the same changes.
 */
export function rowEncoder(): (row: Row, marks: RowMarks) => EncodedField {
  let known = new WeakMap<Row, EncodedRow>();
  let count = 0;
  return (row, marks) => {
    const earlier = known.get(row);
    if (earlier?.marks.overdue === marks.overdue && earlier.marks.stale === marks.stale) return earlier.field;
    const bytes = toBinary(StatusRowSchema, create(StatusRowSchema, { ...statusRowToProto(row), ...marks }));
    const { number: no } = ListStatusResponseSchema.field.rows;
    const field = { no, wireType: WireType.LengthDelimited, data: new BinaryWriter().bytes(bytes).finish() };
    if (++count > maxRemembered) [known, count] = [new WeakMap(), 1];
    known.set(row, { marks, field });
    return field;
  };
}
