import type { JsonSchema } from "./json-schema.ts";
import type { OpenApiDocument } from "./openapi-document.ts";

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (found) => escapes[found] ?? found);

const idOf = (name: string): string => escapeHtml(name.replace(/^\/|[^\w./-]/g, ""));
const paragraph = (text: unknown): string => (typeof text === "string" ? `<p>${escapeHtml(text)}</p>` : "");

/** Name of a schema's type; a link when the page describes it. */
function typeOf(schema: JsonSchema): string {
  const { $ref, type, items, additionalProperties, format } = schema;
  if (typeof $ref === "string") {
    const name = $ref.slice($ref.lastIndexOf("/") + 1);
    return `<a href="#${idOf(name)}">${escapeHtml(name)}</a>`;
  }
  if (type === "array") return `list of ${typeOf(items as JsonSchema)}`;
  if (typeof additionalProperties === "object") return `map to ${typeOf(additionalProperties as JsonSchema)}`;
  return escapeHtml(String(format ?? (Array.isArray(type) ? type.join(" or ") : (type ?? "any value"))));
}

function schemaSection([name, schema]: [string, JsonSchema]): string {
  const fields = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>).map(
    ([field, value]) =>
      `<tr><td><code>${escapeHtml(field)}</code></td><td>${typeOf(value)}</td><td>${escapeHtml(String(value.description ?? ""))}</td></tr>`,
  );
  const values = ((schema.enum ?? []) as readonly string[]).map(
    (value) => `<li><code>${escapeHtml(value)}</code></li>`,
  );
  return [
    `<section id="${idOf(name)}"><h3>${escapeHtml(name)}</h3>${paragraph(schema.description)}`,
    fields.length === 0
      ? ""
      : `<table><thead><tr><th>field</th><th>type</th><th>meaning</th></tr></thead><tbody>${fields.join("")}</tbody></table>`,
    values.length === 0 ? "" : `<ul>${values.join("")}</ul>`,
    "</section>",
  ].join("");
}

function methodSection(path: string, operations: OpenApiDocument["paths"][string]): string {
  const { post = {} } = operations;
  const body = post.requestBody as { content: Record<string, { schema: JsonSchema }> };
  const responses = post.responses as Record<string, { content: Record<string, { schema: JsonSchema }> }>;
  const request = body.content["application/json"]?.schema ?? {};
  const response = responses[200]?.content["application/json"]?.schema ?? {};
  const verbs = Object.keys(operations).map((verb) => verb.toUpperCase());
  return [
    `<section id="${idOf(path)}"><h3>${escapeHtml(String(post.summary))}</h3>${paragraph(post.description)}`,
    `<p><code>${escapeHtml(verbs.join(", "))} ${escapeHtml(path)}</code></p>`,
    `<p>Request: ${typeOf(request)}. Response: ${typeOf(response)}.</p></section>`,
  ].join("");
}

/** Page that shows a description of the API to people, without scripts. */
export function openApiPage(document: OpenApiDocument): string {
  const paths = Object.entries(document.paths);
  const services = document.tags.map(({ name, description }) => {
    const methods = paths.filter(([path]) => path.startsWith(`/${name}/`));
    const sections = methods.map(([path, operations]) => methodSection(path, operations));
    return `<h2 id="${idOf(name)}">${escapeHtml(name)}</h2>${paragraph(description)}${sections.join("")}`;
  });
  const contents = document.tags.map(({ name }) => `<li><a href="#${idOf(name)}">${escapeHtml(name)}</a></li>`);
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Realmwatch API</title>',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<link rel="stylesheet" href="/api/page.css"></head><body><main><h1>Realmwatch API</h1>',
    paragraph(document.info.description),
    '<p>The same description as <a href="/api/openapi.json">OpenAPI 3.1</a>. <a href="/">Dashboard</a></p>',
    `<nav aria-label="Services"><ul>${contents.join("")}<li><a href="#messages">Messages</a></li></ul></nav>`,
    ...services,
    '<h2 id="messages">Messages</h2>',
    ...Object.entries(document.components.schemas).map(schemaSection),
    "</main></body></html>\n",
  ].join("\n");
}

/** Style sheet of the page. */
export const openApiPageStyle = `:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0; }
main { max-width: 70rem; margin: 0 auto; padding: 1rem; }
h2 { border-bottom: 1px solid; margin-top: 3rem; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid; padding: 0.25rem 0.5rem; text-align: left; vertical-align: top; }
p, td { white-space: pre-line; }
code { font-family: ui-monospace, monospace; overflow-wrap: anywhere; }
`;
