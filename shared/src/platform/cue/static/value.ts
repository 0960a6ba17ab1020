import type { Spot } from "../source/source-spans.ts";
import { type Cursor, code, separator, skipBlanks, skipLines, unit } from "./cursor.ts";
import { addField, isIndex } from "./unify.ts";
import { isStruct, type Json, ownField, type Struct, setField } from "./json.ts";
import { labelAt } from "./label.ts";
import { numberAt, stringAt, wordAt } from "./literal.ts";

/** Deeper than data ever is. */
const maxDepth = 200;

/** Reads fields up to a closing bracket or the end. */
export function fieldsAt(c: Cursor): Struct | undefined {
  const struct: Struct = {};
  // Written down only once the struct itself no longer tells the order of its labels.
  let front: string[] | undefined;
  let open = true;
  while (unit(c) !== code.closeStruct && c.at < c.text.length) {
    const start = c.at;
    const label = open ? labelAt(c) : undefined;
    const value = label === undefined ? undefined : fieldValue(c, label, start);
    if (label === undefined || value === undefined) return undefined;
    const isNew = ownField(struct, label) === undefined;
    if (front === undefined && (!isNew || isIndex(label))) front = Object.keys(struct);
    front?.push(label);
    if (isNew) setField(struct, label, value);
    else if (!addField(struct, { label, value }, c.fronts)) return undefined;
    open = separator(c) !== "none";
  }
  if (front !== undefined) c.fronts.set(struct, [front]);
  return struct;
}

/** Behind a colon: a value or, for a struct of one field, a further label. */
function fieldValue(c: Cursor, label: string, labelStart: number): Json | undefined {
  skipLines(c);
  const around = c.watch;
  const start = c.at;
  c.watch = around?.below.get(label);
  let value = valueAt(c);
  let end = c.at;
  if (value !== undefined) skipBlanks(c);
  const isLabel = value === undefined || unit(c) === code.colon;
  if (isLabel) {
    c.at = start;
    value = chained(c);
    end = c.at;
  }
  if (value !== undefined)
    c.watch?.spots.push({ at: start, labelAt: labelStart, end, kind: isLabel ? "struct" : kindOf(value) });
  c.watch = around;
  return value;
}

function kindOf(value: Json): Spot["kind"] {
  if (isStruct(value)) return "struct";
  return Array.isArray(value) ? "expression" : "literal";
}

function chained(c: Cursor): Struct | undefined {
  const start = c.at;
  const label = c.depth < maxDepth ? labelAt(c) : undefined;
  if (label === undefined) return undefined;
  c.depth += 1;
  const value = fieldValue(c, label, start);
  c.depth -= 1;
  if (value === undefined) return undefined;
  const struct: Struct = {};
  setField(struct, label, value);
  if (isIndex(label)) c.fronts.set(struct, [[label]]);
  return struct;
}

function valueAt(c: Cursor): Json | undefined {
  const here = unit(c);
  switch (here) {
    case code.quote:
      return stringAt(c);
    case code.openStruct:
      return structAt(c);
    case code.openList:
      return listAt(c);
    default:
      if (here === code.minus || (here >= code.zero && here <= code.nine)) return numberAt(c);
      return constants.get(wordAt(c));
  }
}

const constants = new Map<string | undefined, Json>([
  ["true", true],
  ["false", false],
  ["null", null],
]);

/** Reads a struct in its braces. */
export function structAt(c: Cursor): Struct | undefined {
  if (!enter(c)) return undefined;
  const struct = fieldsAt(c);
  return leave(c, code.closeStruct) ? struct : undefined;
}

function listAt(c: Cursor): Json | undefined {
  if (!enter(c)) return undefined;
  const list: Json[] = [];
  let open = true;
  while (unit(c) !== code.closeList) {
    const value = open ? element(c, list.length) : undefined;
    if (value === undefined) return undefined;
    list.push(value);
    // A line's end stands for the last comma only.
    open = separator(c) === "comma";
  }
  return leave(c, code.closeList) ? list : undefined;
}

function element(c: Cursor, index: number): Json | undefined {
  const around = c.watch;
  const start = c.at;
  c.watch = around?.below.get(index);
  const value = valueAt(c);
  if (value !== undefined) c.watch?.spots.push({ at: start, labelAt: start, end: c.at, kind: kindOf(value) });
  c.watch = around;
  return value;
}

function enter(c: Cursor): boolean {
  if (c.depth === maxDepth) return false;
  c.depth += 1;
  c.at += 1;
  skipLines(c);
  return true;
}

function leave(c: Cursor, bracket: number): boolean {
  if (unit(c) !== bracket) return false;
  c.depth -= 1;
  c.at += 1;
  return true;
}
