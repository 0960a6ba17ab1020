import { isStruct } from "../../../text/json-values.ts";
import type { WrittenEntries } from "../changes/written-entries.ts";
import type { SourceSpan } from "../source/source-spans.ts";
import { type Json, ownField } from "./json.ts";
import { parseStatic } from "./parse-static.ts";
import type { WrittenField } from "./span-recorder.ts";

/** Value of a document of static data, and the entries of one field unless some of them are not written out once each. */
export type StaticEntries = { readonly json: Json; readonly entries: WrittenEntries | undefined };

/** Parses a document as `parseStatic` does and finds the entries of `field` at its root. */
export function parseStaticEntries(text: string, field: string): StaticEntries | undefined {
  const fields: WrittenField[] = [];
  const spans: SourceSpan[] = [];
  const below = new Map([[field, { below: new Map(), spans, fields }]]);
  const json = parseStatic([{ name: "", text }], { below, spans: [] });
  if (json === undefined) return undefined;
  const struct = isStruct(json) ? ownField(json, field) : undefined;
  const count = struct !== undefined && isStruct(struct) ? Object.keys(struct).length : 0;
  const labels = fields.map(({ label }) => label);
  // The order of the fields of several literals is not that in which they are written.
  if (spans.length !== 1 || count !== labels.length || count !== new Set(labels).size)
    return { json, entries: undefined };
  return {
    json,
    entries: { text, labels, starts: fields.map(({ start }) => start), ends: fields.map(({ end }) => end) },
  };
}
