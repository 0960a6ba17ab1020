import type { DescMethod, DescService } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { Code } from "@connectrpc/connect";
import { codeToString } from "@connectrpc/connect/protocol-connect";
import { addMessageSchema, describedAs, type JsonSchema, schemaReference } from "./json-schema.ts";

export type OpenApiDocument = {
  readonly openapi: "3.1.0";
  readonly info: JsonSchema;
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, { readonly [method: string]: JsonSchema }>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>>; readonly [kind: string]: unknown };
  readonly security: readonly JsonSchema[];
};

const errorCodes = Object.values(Code)
  .filter((code): code is Code => typeof code === "number")
  .map(codeToString);

/** Body of every response that is an error. */
const errorSchema: JsonSchema = {
  type: "object",
  description: "Error of a call. The HTTP status follows from the code.",
  properties: {
    code: { type: "string", enum: errorCodes },
    message: { type: "string" },
    details: {
      type: "array",
      items: {
        type: "object",
        properties: {
          type: { type: "string", description: "Full name of the detail's message." },
          value: { type: "string", contentEncoding: "base64", description: "The message as protobuf." },
          debug: { description: "The message as JSON." },
        },
      },
    },
  },
  required: ["code"],
};

/** [PT4] Describes the services as OpenAPI 3.1: each method by POST, one without side effects by GET too. */
export function openApiDocument(services: readonly DescService[], version: string): OpenApiDocument {
  const schemas: Record<string, JsonSchema> = { "connect.Error": errorSchema };
  const paths: Record<string, { [method: string]: JsonSchema }> = {};
  for (const service of services) {
    for (const method of service.methods) {
      if (method.methodKind !== "unary") continue;
      addMessageSchema(method.input, schemas);
      addMessageSchema(method.output, schemas);
      paths[`/${service.typeName}/${method.name}`] = operationsOf(method);
    }
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Realmwatch",
      version,
      description: "The API in JSON over HTTP. The same methods are served by gRPC and gRPC-Web.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    tags: services.map(({ typeName }) => ({ name: typeName, ...describedAs(typeName) })),
    paths,
    components: { schemas, securitySchemes: { bearer: { type: "http", scheme: "bearer" } } },
    // The program's flags decide which calls need the token.
    security: [{}, { bearer: [] }],
  };
}

function operationsOf(method: DescMethod): { [name: string]: JsonSchema } {
  const name = `${method.parent.typeName}.${method.name}`;
  const common = {
    tags: [method.parent.typeName],
    summary: method.name,
    ...describedAs(name),
    responses: responsesOf(method),
  };
  const post = {
    ...common,
    operationId: name,
    requestBody: {
      required: true,
      content: { "application/json": { schema: schemaReference(method.input.typeName) } },
    },
  };
  if (method.idempotency !== MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS) return { post };
  return { post, get: { ...common, operationId: `${name}.get`, parameters: getParameters(method) } };
}

const responsesOf = ({ output }: DescMethod): JsonSchema => ({
  200: { description: "Success.", content: { "application/json": { schema: schemaReference(output.typeName) } } },
  default: { description: "Error.", content: { "application/json": { schema: schemaReference("connect.Error") } } },
});

const getParameters = ({ input }: DescMethod): readonly JsonSchema[] => [
  { name: "connect", in: "query", required: false, schema: { const: "v1" }, description: "Version of the protocol." },
  { name: "encoding", in: "query", required: true, schema: { const: "json" } },
  {
    name: "message",
    in: "query",
    required: true,
    description: "The request message as JSON.",
    content: { "application/json": { schema: schemaReference(input.typeName) } },
  },
];
