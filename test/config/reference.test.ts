import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import type { Parser } from "@realmwatch/shared/config/parser/parser";
import { fieldSchemas, sectionSchemas } from "@realmwatch/shared/config/parser/reference";
import type { Schema } from "@realmwatch/shared/config/parser/schema";
import { documents, pageUrl, referencePage } from "../run/reference-page.ts";

// UPDATE=1 writes the page anew. Its CUE examples are loaded by test/architecture/documents-hold.test.ts.
test("docs/reference/configuration.md is what the schema says", () => {
  const page = referencePage();
  if (process.env.UPDATE === "1") writeFileSync(pageUrl, page);
  assert.equal(readFileSync(pageUrl, "utf8"), page);
});

const sections = documents.flatMap(({ schema }) => sectionSchemas(schema));
const fields = sections.flatMap((form) => fieldSchemas(form).map((field) => ({ title: form.section.title, field })));

test("each section has a title of its own and an introduction", () => {
  const titles = sections.map(({ section }) => section.title);
  assert.deepEqual([...new Set(titles)], titles);
  for (const { section } of sections) assert.match(section.intro, /^[A-Z][\s\S]*[.:]$/, section.title);
});

test("each field says what it means and has an example, here or in a section of its own", () => {
  for (const { title, field } of fields) {
    assert.match(field.docs.help, /^[A-Z`].*\.$/, title);
    const isSectioned = /struct|variant|link/.test(innermost(field.parser.schema).kind);
    if (!isSectioned) assert.notEqual(field.docs.example, undefined, `${title}: ${field.docs.help}`);
  }
});

test("each example is what its field accepts, and none is the default", () => {
  for (const { title, field } of fields) {
    const { parser, docs, defaultTo } = field;
    if (typeof parser !== "function" || docs.example === undefined) continue;
    const reading = { problems: [], refusedTypes: {} };
    const value = (parser as Parser<unknown>)(docs.example, undefined, reading);
    assert.deepEqual(reading.problems, [], `${title}: ${docs.help}`);
    if (defaultTo !== undefined && JSON.stringify(defaultTo.value) === JSON.stringify(value))
      assert.ok(["Always events.", "Not used."].includes(docs.help), `${title}: ${docs.help}`);
  }
});

function innermost(form: Schema): Schema {
  return form.kind === "list" || form.kind === "map" ? innermost(form.of) : form;
}
