import { create, type DescMessage, type Message, type MessageShape } from "@bufbuild/protobuf";
import type { Refusal } from "../../model/refusal.ts";
import type { Result } from "../../model/result.ts";
import { type FieldCodec, sameValue } from "./field-codec.ts";
import { fieldReader } from "./field-reader.ts";
import {
  type AnyTable,
  blankOf,
  compileFunction,
  literalOf,
  type MessageFields,
  messageDecoder,
  tableColumns,
} from "./field-table.ts";

/** Makes a function that creates messages. Fields of the message that the table does not have are empty. */
export function messageEncoder<Model, Proto, Desc extends DescMessage>(
  schema: Desc,
  fields: MessageFields<Model, Proto>,
): (value: Model) => MessageShape<Desc> {
  const columns = tableColumns(fields as unknown as AnyTable);
  const empty = create(schema);
  const sources = new Map(Object.keys(empty).map((name) => [name, `empty.${name}`]));
  for (const { path, field, codec, name } of columns)
    if (schema.members.some(({ localName }) => localName === field))
      sources.set(field, codec.toProto === sameValue ? `value.${path}` : `${name}.toProto(value.${path})`);
  const encode = compileFunction<(value: Model, empty: MessageShape<Desc>) => MessageShape<Desc>>(
    columns,
    "value, empty",
    literalOf(sources),
  );
  return (value) => encode(value, empty);
}

type Fields<Desc extends DescMessage> = Omit<MessageShape<Desc>, keyof Message>;

/** Makes the codec of a message whose fields are those of a model type. */
export function messageCodec<Model, Desc extends DescMessage>(
  schema: Desc,
  fields: MessageFields<Model, Fields<Desc>>,
): FieldCodec<Model, MessageShape<Desc>> {
  const read = messageDecoder<Model, Fields<Desc>>(fields);
  return {
    blank: blankOf<Model, Fields<Desc>>(fields),
    toProto: messageEncoder<Model, Fields<Desc>, Desc>(schema, fields),
    fromProto: (proto, reader, field) => read(proto, reader, `${field}.`),
  };
}

/** Converts one field; `malformed` with the name of the field that is invalid. */
export function decodeField<Value, Field>(
  codec: FieldCodec<Value, Field>,
  proto: Field,
  field: string,
): Result<Value, Refusal> {
  const reader = fieldReader();
  return reader.finish(codec.fromProto(proto, reader, field));
}
