import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import type { Form } from "@realmwatch/shared/config/parser/schema";
import type { Reader } from "@realmwatch/shared/config/parser/parser";
import { fieldsOf, sectionsOf } from "@realmwatch/shared/config/parser/reference";
import { documents, pageUrl, referencePage } from "../run/reference-page.ts";

// UPDATE=1 writes the page anew. Its CUE examples are loaded by test/architecture/documents-hold.test.ts.
test("docs/reference/configuration.md is what the schema says", () => {
  const page = referencePage();
  if (process.env.UPDATE === "1") writeFileSync(pageUrl, page);
  assert.equal(readFileSync(pageUrl, "utf8"), page);
});

const sections = documents.flatMap(({ form }) => sectionsOf(form));
const fields = sections.flatMap((form) => fieldsOf(form).map((field) => ({ title: form.section.title, field })));

test("each section has a title of its own and an introduction", () => {
  const titles = sections.map(({ section }) => section.title);
  assert.deepEqual([...new Set(titles)], titles);
  for (const { section } of sections) assert.match(section.intro, /^[A-Z][\s\S]*[.:]$/, section.title);
});

test("each field says what it means and has an example, here or in a section of its own", () => {
  for (const { title, field } of fields) {
    assert.match(field.about.help, /^[A-Z`].*\.$/, title);
    const isSectioned = /struct|variant|link/.test(innermost(field.reader.form).kind);
    if (!isSectioned) assert.notEqual(field.about.example, undefined, `${title}: ${field.about.help}`);
  }
});

test("each example is what its field accepts, and none is the default", () => {
  for (const { title, field } of fields) {
    const { reader, about, otherwise } = field;
    if (typeof reader !== "function" || about.example === undefined) continue;
    const reading = { problems: [], refusedTypes: {} };
    const value = (reader as Reader<unknown>)(about.example, undefined, reading);
    assert.deepEqual(reading.problems, [], `${title}: ${about.help}`);
    if (otherwise !== undefined && JSON.stringify(otherwise.value) === JSON.stringify(value))
      assert.ok(["Events, nothing else.", "Not used."].includes(about.help), `${title}: ${about.help}`);
  }
});

function innermost(form: Form): Form {
  return form.kind === "list" || form.kind === "map" ? innermost(form.of) : form;
}
