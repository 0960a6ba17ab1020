import { orderFields } from "./field-order.ts";
import { isJsonStruct, type Json, type JsonStruct, ownField, setField } from "./json.ts";

/**
 * The labels of each struct literal that a struct was made of, in the source's order: CUE derives the order of a
 * struct's fields from them. Kept only where the order of the JSON object itself does not tell: for structs made of
 * several literals, with repeated labels, or with labels that an object puts in front.
 */
export type LabelOrders = Map<JsonStruct, string[][]>;

/** Whether JSON objects keep such a label in front of all others, whenever it was added. */
export function isIntegerLabel(label: string): boolean {
  const first = label.charCodeAt(0);
  return first >= 48 && first <= 57 && /^(?:0|[1-9]\d{0,9})$/.test(label) && Number(label) < 2 ** 32 - 1;
}

/**
 * What fits two values, the first of them changed; undefined where nothing does or it is not plain to see. Equal
 * numbers are not: `1` and `1.0` contradict each other.
 */
export function unifyValues(a: Json, b: Json, fronts: LabelOrders): Json | undefined {
  if (a === b && typeof a !== "number") return a;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return undefined;
  if (isJsonStruct(a)) return isJsonStruct(b) && unifyStructs(a, b, fronts) ? a : undefined;
  if (isJsonStruct(b) || a.length !== b.length) return undefined;
  const list: Json[] = [];
  for (const [i, each] of a.entries()) {
    const unified = unifyValues(each, b[i] as Json, fronts);
    if (unified === undefined) return undefined;
    list.push(unified);
  }
  return list;
}

/** Adds the fields of `b` to `a`. */
function unifyStructs(a: JsonStruct, b: JsonStruct, fronts: LabelOrders): boolean {
  const own = labelOrdersOf(a, fronts);
  for (const front of labelOrdersOf(b, fronts)) own.push(front);
  fronts.delete(b);
  fronts.set(a, own);
  for (const label of Object.keys(b)) if (!addField(a, { label, value: b[label] as Json }, fronts)) return false;
  return true;
}

function labelOrdersOf(struct: JsonStruct, fronts: LabelOrders): string[][] {
  return fronts.get(struct) ?? [Object.keys(struct)];
}

/** Sets a field or unifies it with what it holds; false where that is not plain to see. */
export function addField(
  struct: JsonStruct,
  { label, value }: { label: string; value: Json },
  fronts: LabelOrders,
): boolean {
  const before = ownField(struct, label);
  const now = before === undefined ? value : unifyValues(before, value, fronts);
  if (now === undefined) return false;
  if (now !== before) setField(struct, label, now);
  return true;
}

/** Brings the fields of every struct into CUE's order. */
export function applyFieldOrder(fronts: LabelOrders): void {
  for (const [struct, own] of fronts) {
    const labels = orderFields(own);
    const kept = Object.keys(struct).filter((label) => !isIntegerLabel(label));
    const wanted = labels.filter((label) => !isIntegerLabel(label));
    if (wanted.every((label, i) => label === kept[i])) continue;
    const values = wanted.map((label) => struct[label] as Json);
    for (const label of wanted) delete struct[label];
    for (const [i, label] of wanted.entries()) setField(struct, label, values[i] as Json);
  }
}
