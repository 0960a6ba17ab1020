import { headersField } from "../parser/names.ts";
import { boolean, nonEmptyString } from "../parser/scalars.ts";
import { type Fields, required, type VariantType, withDefault } from "../parser/structs.ts";

/** Fields that datasources of every kind have. */
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

/** Declares a datasource. `fields` are those beside the common ones. No kind uses code of the agent's machine. */
export const datasourceKind = <F extends Fields>(summary: string, fields: F): VariantType<F & typeof commonFields> => ({
  summary,
  uses: "none",
  fields: { ...fields, ...commonFields },
});

export const baseUrlField = required(nonEmptyString, {
  help: "Base URL.",
  example: "http://127.0.0.1:9090",
  secret: true,
});
