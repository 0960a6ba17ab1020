import { type DescEnum, type DescField, type DescMessage, type DescService, ScalarType } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { protoComments } from "@realmwatch/proto/svc/v1/comments";
import { contractServices } from "@realmwatch/shared/api/discovery/described-api";

/** URL of the page's file. */
export const apiPageUrl: URL = new URL("../../docs/reference/api.md", import.meta.url);

const head = `# API reference

Generated from the protos by \`node test/run/write-reference.ts\`. [How to call the API](../how-to/call-the-api.md) has
examples; a program describes the services that its flags allow at \`/openapi.json\`. Fields have their names of JSON, which
the protos write with underscores. Every error has a code of gRPC and a message; what the outcome of a command means is on
[another page](commands.md).
`;

/** Generates `docs/reference/api.md`: the services with their methods, then all messages and enumerations by name. */
export function apiPage(): string {
  const types = new Map<string, DescMessage | DescEnum>();
  for (const { methods } of contractServices)
    for (const { input, output } of methods) for (const message of [input, output]) addTypes(message, types);
  const sorted = [...types.values()].sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
  return [
    head,
    "## Services\n",
    ...contractServices.map(formatService),
    "## Messages\n",
    ...sorted.map((type) => (type.kind === "message" ? formatMessage(type) : formatEnum(type))),
  ].join("\n");
}

function addTypes(message: DescMessage, types: Map<string, DescMessage | DescEnum>): void {
  if (isWellKnown(message) || types.has(message.typeName)) return;
  types.set(message.typeName, message);
  for (const field of message.fields) {
    const { enum: values, message: inner } = field;
    if (values !== undefined) types.set(values.typeName, values);
    if (inner !== undefined) addTypes(inner, types);
  }
}

const isWellKnown = ({ typeName }: DescMessage | DescEnum): boolean => typeName.startsWith("google.protobuf.");
const nameOf = ({ typeName }: DescMessage | DescEnum | DescService): string => typeName.replace(/^svc\.v1\./, "");
const anchorOf = (name: string): string => name.toLowerCase().replace(/[^\w-]/g, "");

/** Comment of an element as one line that is safe in a cell of a table. */
const commentOf = (name: string): string =>
  (protoComments[name] ?? "")
    .replace(/\s*\n\s*/g, " ")
    .replaceAll("|", "\\|")
    .replace(/`[^`]*`|[<>]/g, (part) => (part === "<" ? "&lt;" : part === ">" ? "&gt;" : part));

function formatService(service: DescService): string {
  const rows = service.methods.map((method) => {
    const isRead = method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
    const call = `\`${method.name}\`(${linkTo(method.input)}) → ${linkTo(method.output)}`;
    return `| ${call} | ${isRead ? "reads" : "changes"} | ${commentOf(`${service.typeName}.${method.name}`)} |`;
  });
  return table(nameOf(service), commentOf(service.typeName), [
    "| Method | | What it does |",
    "| --- | --- | --- |",
    ...rows,
  ]);
}

function formatMessage(message: DescMessage): string {
  const rows = message.fields.map(
    (field) => `| \`${field.jsonName}\` | ${typeOf(field)} | ${commentOf(`${message.typeName}.${field.name}`)} |`,
  );
  const fields =
    rows.length === 0 ? ["Without fields."] : ["| Field | Type | Meaning |", "| --- | --- | --- |", ...rows];
  return table(nameOf(message), commentOf(message.typeName), fields);
}

function formatEnum(values: DescEnum): string {
  const rows = values.values.map(({ name }) => `| \`${name}\` | ${commentOf(`${values.typeName}.${name}`)} |`);
  return table(nameOf(values), commentOf(values.typeName), ["| Value | Meaning |", "| --- | --- |", ...rows]);
}

const table = (title: string, intro: string, lines: readonly string[]): string =>
  [`### ${title}`, "", ...(intro === "" ? [] : [intro, ""]), ...lines, ""].join("\n");

function typeOf(field: DescField): string {
  if (field.fieldKind === "map") return `map of ${elementOf(field)}`;
  return field.fieldKind === "list" ? `list of ${elementOf(field)}` : elementOf(field);
}

function elementOf({ message, enum: values, scalar }: DescField): string {
  const type = message ?? values;
  if (type !== undefined) return linkTo(type);
  return scalar === undefined ? "" : ScalarType[scalar].toLowerCase();
}

function linkTo(type: DescMessage | DescEnum): string {
  const name = nameOf(type);
  return isWellKnown(type) ? type.name : `[${name}](#${anchorOf(name)})`;
}
