import { type Cursor, code, separator, skipBlanks, skipLines, unit } from "./cursor.ts";
import { addField, isIndex } from "./fronts.ts";
import { type Json, ownField, type Struct, setField } from "./json.ts";
import { numberAt, stringAt, wordAt } from "./literal.ts";

/** Deeper than data ever is. */
const maxDepth = 200;

/** Words that are no labels, or that are some only here and there. */
export const keywords: ReadonlySet<string> = new Set(
  "package import for in if let true false null div mod quo rem".split(" "),
);

/** Reads fields up to a closing bracket or the end. */
export function fieldsAt(c: Cursor): Struct | undefined {
  const struct: Struct = {};
  // Written down only once the struct itself no longer tells the order of its labels.
  let front: string[] | undefined;
  let open = true;
  while (unit(c) !== code.closeStruct && c.at < c.text.length) {
    const label = open ? labelAt(c) : undefined;
    const value = label === undefined ? undefined : fieldValue(c);
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

/** Reads a label and its colon. */
function labelAt(c: Cursor): string | undefined {
  if (unit(c) !== code.quote) {
    const word = wordAt(c);
    return word !== undefined && !keywords.has(word) && colonBehind(c) ? word : undefined;
  }
  if (c.text.startsWith('"""', c.at)) return undefined;
  const text = stringAt(c);
  return text !== undefined && isComposed(text) && colonBehind(c) ? text : undefined;
}

/** CUE composes the characters of labels; those it would change are left to it. */
const isComposed = (label: string): boolean => isAscii.test(label) || label === label.normalize("NFC");
// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
const isAscii = /^[\x00-\x7f]*$/;

function colonBehind(c: Cursor): boolean {
  skipBlanks(c);
  if (unit(c) !== code.colon) return false;
  c.at += 1;
  return true;
}

/** Behind a colon: a value or, for a struct of one field, a further label. */
function fieldValue(c: Cursor): Json | undefined {
  skipLines(c);
  const start = c.at;
  const value = valueAt(c);
  if (value !== undefined) {
    skipBlanks(c);
    if (unit(c) !== code.colon) return value;
  }
  c.at = start;
  return chained(c);
}

function chained(c: Cursor): Struct | undefined {
  const label = c.depth < maxDepth ? labelAt(c) : undefined;
  if (label === undefined) return undefined;
  c.depth += 1;
  const value = fieldValue(c);
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
    const value = open ? valueAt(c) : undefined;
    if (value === undefined) return undefined;
    list.push(value);
    // A line's end stands for the last comma only.
    open = separator(c) === "comma";
  }
  return leave(c, code.closeList) ? list : undefined;
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
