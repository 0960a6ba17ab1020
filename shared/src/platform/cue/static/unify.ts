import { isStruct } from "../../../text/json-values.ts";
import { orderFields } from "./field-order.ts";
import { type Json, type JsonStruct, ownField, setField } from "./json.ts";

/**
 * Labels of each struct literal that a struct is unified from, in source order. CUE derives the order of the struct's
 * fields from them. Recorded only when the JSON object's own order differs: for a struct of several literals, with
 * repeated labels or with integer labels.
 */
export type LabelOrders = Map<JsonStruct, string[][]>;

/** True for a label that JavaScript objects enumerate before all others. */
export function isIntegerLabel(label: string): boolean {
  const first = label.charCodeAt(0);
  return first >= 48 && first <= 57 && /^(?:0|[1-9]\d{0,9})$/.test(label) && Number(label) < 2 ** 32 - 1;
}

/**
 * Unifies two values, modifying the first; undefined if they conflict or cannot be decided. Equal numbers cannot be
 * decided, because `1` and `1.0` conflict in CUE.
 */
export function unifyValues(a: Json, b: Json, labelOrders: LabelOrders): Json | undefined {
  if (a === b && typeof a !== "number") return a;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return undefined;
  if (isStruct(a)) return isStruct(b) && unifyStructs(a, b, labelOrders) ? a : undefined;
  if (isStruct(b) || a.length !== b.length) return undefined;
  const list: Json[] = [];
  for (const [i, each] of a.entries()) {
    const unified = unifyValues(each, b[i] as Json, labelOrders);
    if (unified === undefined) return undefined;
    list.push(unified);
  }
  return list;
}

/** Unifies `b` into `a`; false if they conflict or cannot be decided. */
function unifyStructs(a: JsonStruct, b: JsonStruct, labelOrders: LabelOrders): boolean {
  const own = labelOrdersOf(a, labelOrders);
  for (const labels of labelOrdersOf(b, labelOrders)) own.push(labels);
  labelOrders.delete(b);
  labelOrders.set(a, own);
  for (const label of Object.keys(b)) if (!addField(a, { label, value: b[label] as Json }, labelOrders)) return false;
  return true;
}

function labelOrdersOf(struct: JsonStruct, labelOrders: LabelOrders): string[][] {
  return labelOrders.get(struct) ?? [Object.keys(struct)];
}

/** Sets a field or unifies it with its current value; false if they conflict or cannot be decided. */
export function addField(
  struct: JsonStruct,
  { label, value }: { label: string; value: Json },
  labelOrders: LabelOrders,
): boolean {
  const before = ownField(struct, label);
  const now = before === undefined ? value : unifyValues(before, value, labelOrders);
  if (now === undefined) return false;
  if (now !== before) setField(struct, label, now);
  return true;
}

/** Puts the fields of every recorded struct into CUE's order. */
export function applyFieldOrder(labelOrders: LabelOrders): void {
  for (const [struct, own] of labelOrders) {
    const labels = orderFields(own);
    const kept = Object.keys(struct).filter((label) => !isIntegerLabel(label));
    const wanted = labels.filter((label) => !isIntegerLabel(label));
    if (wanted.every((label, i) => label === kept[i])) continue;
    const values = wanted.map((label) => struct[label] as Json);
    for (const label of wanted) delete struct[label];
    for (const [i, label] of wanted.entries()) setField(struct, label, values[i] as Json);
  }
}
