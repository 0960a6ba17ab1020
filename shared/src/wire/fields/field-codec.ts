import type { Duration, Timestamp } from "@bufbuild/protobuf/wkt";
import type { Labels } from "../../model/row.ts";
import type { FieldReader } from "./field-reader.ts";
import { durationFromProto, durationToProto, timestampFromProto, timestampToProto } from "./time.ts";

/** Conversion between a value of the model and a field of a message. */
export type FieldCodec<Value, Field> = {
  /** Value of an unset or invalid field. */
  readonly blank: Value;
  readonly toProto: (value: Value) => Field;
  /** Reports an invalid field to `reader`, under the name `field`. */
  readonly fromProto: (proto: Field, reader: FieldReader, field: string) => Value;
};

/** Conversion of a field whose values are the same in model and message. */
export const sameValue = <T>(value: T): T => value;
const plain = <T>(blank: T): FieldCodec<T, T> => ({ blank, toProto: sameValue, fromProto: sameValue });

export const textField = plain("");
export const numberField = plain(0);
/** Boolean of which a message cannot tell false from unset. */
export const markField = plain(false);
export const labelMapField: FieldCodec<Labels, { [key: string]: string }> = plain({});
export const textsField: FieldCodec<readonly string[], string[]> = {
  blank: [],
  toProto: (values) => [...values],
  fromProto: sameValue,
};

/** Boolean that is `unset` in a message without it. */
export const flagField = (unset: boolean): FieldCodec<boolean, boolean | undefined> => ({
  blank: unset,
  toProto: sameValue,
  fromProto: (proto) => proto ?? unset,
});

const finite = (value: number | undefined): number | undefined => (Number.isFinite(value) ? value : undefined);
/** Number that JSON clients can read: NaN and infinities are left unset. */
export const finiteField: FieldCodec<number | undefined, number | undefined> = {
  blank: undefined,
  toProto: finite,
  fromProto: finite,
};

export const optionalInstantField: FieldCodec<number | undefined, Timestamp | undefined> = {
  blank: undefined,
  toProto: timestampToProto,
  fromProto: (proto, reader, field) => proto && reader.take(timestampFromProto(field, proto), undefined),
};

export const optionalDurationField: FieldCodec<number | undefined, Duration | undefined> = {
  blank: undefined,
  toProto: durationToProto,
  fromProto: (proto, reader, field) => proto && reader.take(durationFromProto(field, proto), undefined),
};

/** Replaces undefined by `blank`. */
const withBlank = <Value, Field>(
  codec: FieldCodec<Value | undefined, Field>,
  blank: Value,
): FieldCodec<Value, Field> => ({
  blank,
  toProto: codec.toProto,
  fromProto: (proto, reader, field) => codec.fromProto(proto, reader, field) ?? blank,
});

export const instantField = withBlank(optionalInstantField, 0);
export const durationField = withBlank(optionalDurationField, 0);

/** Field that every message has to set: undefined is reported. */
export const requiredField = <Value, Field>(
  codec: FieldCodec<Value | undefined, Field>,
  blank: Value,
): FieldCodec<Value, Field> => ({
  blank,
  toProto: codec.toProto,
  fromProto: (proto, reader, field) => reader.need(field, codec.fromProto(proto, reader, field), blank),
});

export const optionalField = <Value, Field>(
  codec: FieldCodec<Value, Field>,
): FieldCodec<Value | undefined, Field | undefined> => ({
  blank: undefined,
  toProto: (value) => (value === undefined ? undefined : codec.toProto(value)),
  fromProto: (proto, reader, field) => (proto === undefined ? undefined : codec.fromProto(proto, reader, field)),
});

/** Field whose empty value stands for its absence. */
export const absentField = <T>({ blank }: FieldCodec<T, T>): FieldCodec<T | undefined, T> => ({
  blank: undefined,
  toProto: (value) => value ?? blank,
  fromProto: (proto) => (proto === blank ? undefined : proto),
});

export const listField = <Value, Field>(codec: FieldCodec<Value, Field>): FieldCodec<readonly Value[], Field[]> => ({
  blank: [],
  toProto: (values) => values.map(codec.toProto),
  fromProto: (protos, reader, field) => protos.map((proto, at) => codec.fromProto(proto, reader, `${field}[${at}]`)),
});
