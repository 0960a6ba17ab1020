import { type DescEnum, type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { protoComments } from "@realmwatch/proto/svc/v1/comments";
import { never } from "../../model/never.ts";

/** JSON Schema (draft 2020-12, that of OpenAPI 3.1). */
export type JsonSchema = { readonly [key: string]: unknown };

/** JSON forms of messages that have one of their own. */
const wellKnown: Readonly<Record<string, JsonSchema>> = {
  "google.protobuf.Timestamp": { type: "string", format: "date-time" },
  "google.protobuf.Duration": { type: "string", pattern: "^-?[0-9]+(\\.[0-9]{1,9})?s$", examples: ["90s"] },
};

const text = (more: JsonSchema): JsonSchema => ({ type: ["string", "integer"], pattern: "^-?[0-9]+$", ...more });
const float = (format: string): JsonSchema => ({ type: ["number", "string"], format });

/** JSON forms of scalars. Integers of 64 bits are written as strings and read as either. */
const scalars: Readonly<Record<ScalarType, JsonSchema>> = {
  [ScalarType.DOUBLE]: float("double"),
  [ScalarType.FLOAT]: float("float"),
  [ScalarType.INT64]: text({ format: "int64" }),
  [ScalarType.SINT64]: text({ format: "int64" }),
  [ScalarType.SFIXED64]: text({ format: "int64" }),
  [ScalarType.UINT64]: text({ format: "uint64" }),
  [ScalarType.FIXED64]: text({ format: "uint64" }),
  [ScalarType.INT32]: { type: "integer", format: "int32" },
  [ScalarType.SINT32]: { type: "integer", format: "int32" },
  [ScalarType.SFIXED32]: { type: "integer", format: "int32" },
  [ScalarType.UINT32]: { type: "integer", format: "int64", minimum: 0, maximum: 4_294_967_295 },
  [ScalarType.FIXED32]: { type: "integer", format: "int64", minimum: 0, maximum: 4_294_967_295 },
  [ScalarType.BOOL]: { type: "boolean" },
  [ScalarType.STRING]: { type: "string" },
  [ScalarType.BYTES]: { type: "string", contentEncoding: "base64" },
};

/** Description of an element from the comment of its proto; empty without one. */
export const describedAs = (name: string): { readonly description?: string } => {
  const description = protoComments[name];
  return description === undefined ? {} : { description };
};

export const schemaReference = (typeName: string): JsonSchema => ({ $ref: `#/components/schemas/${typeName}` });

/** Adds the schemas of a message and of all types that it refers to, by full name. */
export function addMessageSchema(message: DescMessage, schemas: Record<string, JsonSchema>): void {
  if (schemas[message.typeName] !== undefined || wellKnown[message.typeName] !== undefined) return;
  // Registered before its fields, because messages may be recursive.
  const properties: Record<string, JsonSchema> = {};
  schemas[message.typeName] = {
    type: "object",
    ...describedAs(message.typeName),
    ...(message.fields.length === 0 ? {} : { properties }),
    ...exclusive(message),
  };
  for (const field of message.fields) {
    properties[field.jsonName] = {
      ...schemaOfField(field),
      ...describedAs(`${message.typeName}.${field.name}`),
    };
    if (field.message !== undefined) addMessageSchema(field.message, schemas);
    if (field.enum !== undefined) schemas[field.enum.typeName] ??= enumSchema(field.enum);
  }
}

/** At most one field of each oneof may be set. */
function exclusive({ oneofs }: DescMessage): JsonSchema {
  const groups = oneofs.filter(({ fields }) => fields.length > 1);
  if (groups.length === 0) return {};
  const allOf = groups.map(({ fields }) => ({
    oneOf: [
      ...fields.map(({ jsonName }) => ({ required: [jsonName] })),
      { not: { anyOf: fields.map(({ jsonName }) => ({ required: [jsonName] })) } },
    ],
  }));
  return { allOf };
}

function schemaOfField(field: DescField): JsonSchema {
  switch (field.fieldKind) {
    case "scalar":
      return scalars[field.scalar];
    case "enum":
      return schemaReference(field.enum.typeName);
    case "message":
      return messageSchema(field.message);
    case "list":
      return { type: "array", items: schemaOfValue(field) };
    case "map":
      return { type: "object", additionalProperties: schemaOfValue(field) };
    default:
      return never(field);
  }
}

function schemaOfValue(value: Pick<DescField, "enum" | "message" | "scalar">): JsonSchema {
  if (value.message !== undefined) return messageSchema(value.message);
  return value.enum === undefined ? scalars[value.scalar ?? ScalarType.STRING] : schemaReference(value.enum.typeName);
}

const messageSchema = ({ typeName }: DescMessage): JsonSchema => wellKnown[typeName] ?? schemaReference(typeName);

const enumSchema = (desc: DescEnum): JsonSchema => ({
  type: "string",
  ...describedAs(desc.typeName),
  enum: desc.values.map(({ name }) => name),
});
