import { isStruct } from "../../../text/json-values.ts";
import { type Json, type JsonStruct, ownField, setField } from "../static/json.ts";
import type { SplitSource } from "./split-source.ts";

/** Value of the shared text with some of the parts. */
type PartsValue = { readonly labels: ReadonlySet<string>; readonly json: Json };

/**
 * Takes the entries of its parts out of a value.
 *
 * @returns the entries of `labels`, and the rest: what the shared text alone gives; undefined when an entry is missing or
 *   another one is there, so that the document must be evaluated as a whole
 */
export function takeParts(
  { labels, json }: PartsValue,
  field: string,
  sharedLabels: ReadonlySet<string>,
): { readonly parts: ReadonlyMap<string, Json>; readonly rest: JsonStruct } | undefined {
  if (!isStruct(json)) return undefined;
  const entries = ownField(json, field) ?? {};
  if (!isStruct(entries)) return undefined;
  const parts = new Map<string, Json>();
  const shared: JsonStruct = {};
  for (const [label, value] of Object.entries(entries)) {
    if (labels.has(label)) parts.set(label, value);
    else if (sharedLabels.has(label)) setField(shared, label, value);
    else return undefined;
  }
  const isComplete = parts.size === labels.size && Object.keys(shared).length === sharedLabels.size;
  return isComplete ? { parts, rest: { ...json, [field]: shared } } : undefined;
}

/** Value of a whole document from the values of its parts and the rest, with entries in the order of the document. */
export function mergeParts(
  { order }: Pick<SplitSource, "order">,
  field: string,
  { parts, rest }: { readonly parts: ReadonlyMap<string, Json>; readonly rest: JsonStruct },
): JsonStruct | undefined {
  const shared = rest[field] as JsonStruct;
  const entries: JsonStruct = {};
  for (const label of order) {
    const value = parts.get(label) ?? ownField(shared, label);
    if (value === undefined) return undefined;
    setField(entries, label, value);
  }
  return { ...rest, [field]: entries };
}
