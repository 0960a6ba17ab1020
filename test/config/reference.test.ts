import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import type { Parser } from "@realmwatch/shared/config/parser/parser";
import type { Schema } from "@realmwatch/shared/config/parser/schema";
import { apiPage, apiPageUrl } from "../run/api-page.ts";
import { fieldSchemas, sectionSchemas } from "../run/format-reference.ts";
import { documents, pageUrl, referencePage } from "../run/reference-page.ts";

// UPDATE=1 rewrites the page. test/architecture/documents-hold.test.ts loads its CUE examples.
test("docs/reference/configuration.md equals the page generated from the schema", () => {
  const page = referencePage();
  if (process.env.UPDATE === "1") writeFileSync(pageUrl, page);
  assert.equal(readFileSync(pageUrl, "utf8"), page);
});

test("docs/reference/api.md equals the page generated from the protos", () => {
  const page = apiPage();
  if (process.env.UPDATE === "1") writeFileSync(apiPageUrl, page);
  assert.equal(readFileSync(apiPageUrl, "utf8"), page);
});

const sections = documents.flatMap(({ schema }) => sectionSchemas(schema));
const fields = sections.flatMap((schema) =>
  fieldSchemas(schema).map((field) => ({ title: schema.section.title, field })),
);

test("each section has a unique title and an introduction", () => {
  const titles = sections.map(({ section }) => section.title);
  assert.deepEqual([...new Set(titles)], titles);
  for (const { section } of sections) assert.match(section.intro, /^[A-Z][\s\S]*[.:]$/, section.title);
});

test("each field has a description and an example, which may be in the section of its type", () => {
  for (const { title, field } of fields) {
    assert.match(field.docs.help, /^[A-Z`].*\.$/, title);
    const isSectioned = /struct|variant|link/.test(innermost(field.parser.schema).kind);
    if (!isSectioned) assert.notEqual(field.docs.example, undefined, `${title}: ${field.docs.help}`);
  }
});

test("each example is valid for its field and differs from the default", () => {
  for (const { title, field } of fields) {
    const { parser, docs, defaultTo } = field;
    if (typeof parser !== "function" || docs.example === undefined) continue;
    const context = { problems: [], allowedUses: undefined };
    const value = (parser as Parser<unknown>)(docs.example, undefined, context);
    assert.deepEqual(context.problems, [], `${title}: ${docs.help}`);
    if (defaultTo !== undefined && JSON.stringify(defaultTo.value) === JSON.stringify(value))
      assert.ok(["Always events.", "Not used."].includes(docs.help), `${title}: ${docs.help}`);
  }
});

function innermost(schema: Schema): Schema {
  return schema.kind === "list" || schema.kind === "map" ? innermost(schema.of) : schema;
}
