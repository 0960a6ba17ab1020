import { headersField } from "./parser/names.ts";
import { boolean, nonEmptyString, string } from "./parser/scalars.ts";
import { required, type VariantTypes, withDefault } from "./parser/structs.ts";
import { tableField } from "./sink-kinds/sink-kind.ts";

const commonFields = {
  headers: headersField({
    help: "HTTP headers of each request, often a credential.",
    example: { Authorization: "Bearer x" },
  }),
  default: withDefault(boolean, false, {
    help: "Makes this the datasource of panels and object metrics that name none.",
    example: true,
    constraint: "true for at most one datasource",
  }),
};

const url = required(nonEmptyString, { help: "Base URL.", example: "http://127.0.0.1:9090" });

/**
 * Every datasource type by the name that a document gives as `type`. Schema, reference, plans and the list of types
 * follow from this map.
 */
export const datasourceKinds = {
  prometheus: { summary: "A server with the query API of Prometheus.", uses: "none", fields: { url, ...commonFields } },
  columnar_db: {
    summary: "A columnar database that a sink of this type fills.",
    uses: "none",
    fields: { url, table: tableField, ...commonFields },
  },
  local: {
    summary: "The agent's own recent performance data: serves metrics of objects, but no panels.",
    uses: "none",
    fields: { url: withDefault(string, "", { help: "Not used.", example: "" }), ...commonFields },
  },
} satisfies VariantTypes;

export type DatasourceType = keyof typeof datasourceKinds;
