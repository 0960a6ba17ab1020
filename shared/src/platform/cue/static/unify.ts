import { isStruct, type Json, ownField, type Struct, setField } from "./json.ts";
import { inOrder } from "./field-order.ts";

/**
 * The labels of each struct literal that a struct was made of, in the source's order: CUE derives the order of a
 * struct's fields from them. Kept only where the order of the JSON object itself does not tell: for structs made of
 * several literals, with repeated labels, or with labels that an object puts in front.
 */
export type Fronts = Map<Struct, string[][]>;

/** Whether JSON objects keep such a label in front of all others, whenever it was added. */
export function isIndex(label: string): boolean {
  const first = label.charCodeAt(0);
  return first >= 48 && first <= 57 && /^(?:0|[1-9]\d{0,9})$/.test(label) && Number(label) < 2 ** 32 - 1;
}

/**
 * What fits two values, the first of them changed; undefined where nothing does or it is not plain to see. Equal
 * numbers are not: `1` and `1.0` contradict each other.
 */
export function unify(a: Json, b: Json, fronts: Fronts): Json | undefined {
  if (a === b && typeof a !== "number") return a;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return undefined;
  if (isStruct(a)) return isStruct(b) && unifyStructs(a, b, fronts) ? a : undefined;
  if (isStruct(b) || a.length !== b.length) return undefined;
  const list: Json[] = [];
  for (const [i, each] of a.entries()) {
    const unified = unify(each, b[i] as Json, fronts);
    if (unified === undefined) return undefined;
    list.push(unified);
  }
  return list;
}

/** Adds the fields of `b` to `a`. */
function unifyStructs(a: Struct, b: Struct, fronts: Fronts): boolean {
  const own = frontsOf(a, fronts);
  for (const front of frontsOf(b, fronts)) own.push(front);
  fronts.delete(b);
  fronts.set(a, own);
  for (const label of Object.keys(b)) if (!addField(a, { label, value: b[label] as Json }, fronts)) return false;
  return true;
}

function frontsOf(struct: Struct, fronts: Fronts): string[][] {
  return fronts.get(struct) ?? [Object.keys(struct)];
}

/** Sets a field or unifies it with what it holds; false where that is not plain to see. */
export function addField(struct: Struct, { label, value }: { label: string; value: Json }, fronts: Fronts): boolean {
  const before = ownField(struct, label);
  const now = before === undefined ? value : unify(before, value, fronts);
  if (now === undefined) return false;
  if (now !== before) setField(struct, label, now);
  return true;
}

/** Brings the fields of every struct into CUE's order. */
export function settleOrder(fronts: Fronts): void {
  for (const [struct, own] of fronts) {
    const labels = inOrder(own);
    const kept = Object.keys(struct).filter((label) => !isIndex(label));
    const wanted = labels.filter((label) => !isIndex(label));
    if (wanted.every((label, i) => label === kept[i])) continue;
    const values = wanted.map((label) => struct[label] as Json);
    for (const label of wanted) delete struct[label];
    for (const [i, label] of wanted.entries()) setField(struct, label, values[i] as Json);
  }
}
