import { type FieldCodec, sameValue } from "./field-codec.ts";
import type { FieldReader } from "./field-reader.ts";

/** Name of a field of a message and codec between it and values of type `Value`. */
type MessageField<Proto, Value> = {
  [Name in keyof Proto & string]-?: readonly [Name, FieldCodec<Value, Proto[Name]>];
}[keyof Proto & string];

/**
 * Table of the fields of a model type, each with its name in the message and its codec. A part of the model whose fields
 * are fields of the same message has a table of its own. A field that is missing does not compile.
 */
export type MessageFields<Model, Proto> = {
  readonly [Name in keyof Model]-?: MessageField<Proto, Model[Name]> | MessageFields<Model[Name], Proto>;
};

/** Table of the fields of a message, from which the model type is derived. */
export type FieldTable<Proto> = { readonly [name: string]: TableField<Proto> | FieldTable<Proto> };
type TableField<Proto> = {
  [Name in keyof Proto & string]-?: readonly [
    Name,
    {
      readonly blank: unknown;
      readonly toProto: (value: never) => Proto[Name];
      readonly fromProto: (proto: Proto[Name], reader: FieldReader, field: string) => unknown;
    },
  ];
}[keyof Proto & string];

/** Model type that a table declares. */
export type ValuesOf<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends readonly [string, { readonly blank: infer Value }]
    ? Value
    : ValuesOf<Table[Name]>;
};

type AnyCodec = FieldCodec<unknown, unknown>;
export type AnyTable = { readonly [name: string]: readonly [field: string, codec: AnyCodec] | AnyTable };
/** Field of a table, with its path in the model, such as `about.labels`, and the name of its codec in compiled code. */
type Column = { readonly path: string; readonly field: string; readonly codec: AnyCodec; readonly name: string };

const isField = (entry: AnyTable[string]): entry is readonly [string, AnyCodec] => Array.isArray(entry);

export function tableColumns(table: AnyTable): readonly Column[] {
  const flat = (part: AnyTable, prefix: string): Omit<Column, "name">[] =>
    Object.entries(part).flatMap(([name, entry]) =>
      isField(entry) ? [{ path: prefix + name, field: entry[0], codec: entry[1] }] : flat(entry, `${prefix}${name}.`),
    );
  return flat(table, "").map((column, at) => ({ ...column, name: `codec${at}` }));
}

/**
 * Compiles a function whose body is an expression over the codecs of the columns. A loop over the columns would take
 * seven times as long for a row, because it reads and writes properties by name.
 */
export const compileFunction = <F>(columns: readonly Column[], parameters: string, expression: string): F =>
  new Function(
    "columns",
    `
    const [${columns.map(({ name }) => name)}] = columns.map(({ codec }) => codec);
    return (${parameters}) => (${expression});
  `,
  )(columns);

/** Source of an object literal. */
export const literalOf = (sources: Iterable<readonly [name: string, source: string]>): string =>
  `{ ${Array.from(sources, ([name, source]) => `${name}: ${source}`)} }`;

/** Makes a function that reads messages. `prefix` begins the names under which it reports invalid fields. */
export function messageDecoder<Model, Proto>(
  fields: MessageFields<Model, Proto>,
): (message: Proto, reader: FieldReader, prefix: string) => Model {
  const table = fields as unknown as AnyTable;
  const columns = tableColumns(table);
  const sourceOf = ({ field, codec, name }: Column): string =>
    codec.fromProto === sameValue
      ? `message.${field}`
      : `${name}.fromProto(message.${field}, reader, prefix + ${JSON.stringify(field)})`;
  return compileFunction(columns, "message, reader, prefix", modelLiteral(table, columns, sourceOf));
}

/** Value of a table whose fields are all unset. */
export function blankOf<Model, Proto>(fields: MessageFields<Model, Proto>): Model {
  const table = fields as unknown as AnyTable;
  const columns = tableColumns(table);
  return compileFunction<() => Model>(
    columns,
    "",
    modelLiteral(table, columns, ({ name }) => `${name}.blank`),
  )();
}

/** Source of an object literal with the form of the model. */
export function modelLiteral(
  table: AnyTable,
  columns: readonly Column[],
  sourceOf: (column: Column) => string,
): string {
  const byPath = new Map(columns.map((column) => [column.path, sourceOf(column)]));
  const literal = (part: AnyTable, prefix: string): string =>
    literalOf(
      Object.entries(part).map(([name, entry]) => {
        const path = prefix + name;
        return [name, isField(entry) ? (byPath.get(path) as string) : literal(entry, `${path}.`)] as const;
      }),
    );
  return literal(table, "");
}
