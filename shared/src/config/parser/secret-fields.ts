import { never } from "../../model/never.ts";
import type { FieldSchemas, Schema } from "./schema.ts";

/** Names of the fields that a schema declares as secret, at any depth. */
export function secretFieldNames(schema: Schema): string[] {
  switch (schema.kind) {
    case "value":
    case "link":
      return [];
    case "list":
    case "map":
      return secretFieldNames(schema.of);
    case "struct":
      return namesIn(schema.fields);
    case "variant":
      return Object.values(schema.types).flatMap(({ fields }) => namesIn(fields));
    default:
      return never(schema);
  }
}

const namesIn = (fields: FieldSchemas): string[] =>
  Object.entries(fields).flatMap(([name, { docs, parser }]) =>
    docs.secret === true ? [name] : secretFieldNames(parser.schema),
  );
