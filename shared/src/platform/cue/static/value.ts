import { isStruct } from "../../../text/json-values.ts";
import type { SourceSpan } from "../source/source-spans.ts";
import { charCodeAt, charCodes, readSeparator, type StaticCursor, skipCueBlanks, skipLines } from "./cursor.ts";
import { type Json, type JsonStruct, ownField, setField } from "./json.ts";
import { parseLabel } from "./label.ts";
import { parseNumber, parseString, parseWord } from "./literal.ts";
import { addField, isIntegerLabel } from "./unify.ts";

/** Maximum nesting depth; a deeper document is left to CUE. */
const maxDepth = 200;

/** Parses fields up to a closing bracket or the end. */
export function parseFields(c: StaticCursor): JsonStruct | undefined {
  const struct: JsonStruct = {};
  // Recorded from the first label at which the object's own order differs from the source order.
  let labels: string[] | undefined;
  const written = c.recorder?.fields;
  let open = true;
  while (charCodeAt(c) !== charCodes.closeStruct && c.at < c.text.length) {
    const start = c.at;
    const label = open ? parseLabel(c) : undefined;
    const value = label === undefined ? undefined : parseFieldValue(c, label, start);
    if (label === undefined || value === undefined) return undefined;
    written?.push({ label, start, end: c.at });
    const isNew = ownField(struct, label) === undefined;
    if (labels === undefined && (!isNew || isIntegerLabel(label))) labels = Object.keys(struct);
    labels?.push(label);
    if (isNew) setField(struct, label, value);
    else if (!addField(struct, { label, value }, c.labelOrders)) return undefined;
    open = readSeparator(c) !== "none";
  }
  if (labels !== undefined) c.labelOrders.set(struct, [labels]);
  return struct;
}

/** Parses the value after a colon, which may be a chained field (`a: b: 1`). */
function parseFieldValue(c: StaticCursor, label: string, labelStart: number): Json | undefined {
  skipLines(c);
  const outer = c.recorder;
  const start = c.at;
  c.recorder = outer?.below.get(label);
  let value = parseValue(c);
  let end = c.at;
  if (value !== undefined) skipCueBlanks(c);
  const isLabel = value === undefined || charCodeAt(c) === charCodes.colon;
  if (isLabel) {
    c.at = start;
    value = parseChainedField(c);
    end = c.at;
  }
  if (value !== undefined)
    c.recorder?.spans.push({ start: start, labelStart: labelStart, end, kind: isLabel ? "struct" : kindOf(value) });
  c.recorder = outer;
  return value;
}

function kindOf(value: Json): SourceSpan["kind"] {
  if (isStruct(value)) return "struct";
  return Array.isArray(value) ? "expression" : "literal";
}

function parseChainedField(c: StaticCursor): JsonStruct | undefined {
  const start = c.at;
  const label = c.depth < maxDepth ? parseLabel(c) : undefined;
  if (label === undefined) return undefined;
  c.depth += 1;
  const value = parseFieldValue(c, label, start);
  c.depth -= 1;
  if (value === undefined) return undefined;
  const struct: JsonStruct = {};
  setField(struct, label, value);
  if (isIntegerLabel(label)) c.labelOrders.set(struct, [[label]]);
  return struct;
}

function parseValue(c: StaticCursor): Json | undefined {
  const here = charCodeAt(c);
  switch (here) {
    case charCodes.quote:
      return parseString(c);
    case charCodes.openStruct:
      return parseStruct(c);
    case charCodes.openList:
      return parseList(c);
    default:
      if (here === charCodes.minus || (here >= charCodes.zero && here <= charCodes.nine)) return parseNumber(c);
      return constants.get(parseWord(c));
  }
}

const constants = new Map<string | undefined, Json>([
  ["true", true],
  ["false", false],
  ["null", null],
]);

/** Parses a struct in braces. */
export function parseStruct(c: StaticCursor): JsonStruct | undefined {
  if (!enter(c)) return undefined;
  const struct = parseFields(c);
  return leave(c, charCodes.closeStruct) ? struct : undefined;
}

function parseList(c: StaticCursor): Json | undefined {
  if (!enter(c)) return undefined;
  const list: Json[] = [];
  let open = true;
  while (charCodeAt(c) !== charCodes.closeList) {
    const value = open ? parseElement(c, list.length) : undefined;
    if (value === undefined) return undefined;
    list.push(value);
    // The end of a line replaces only the last comma.
    open = readSeparator(c) === "comma";
  }
  return leave(c, charCodes.closeList) ? list : undefined;
}

function parseElement(c: StaticCursor, index: number): Json | undefined {
  const outer = c.recorder;
  const start = c.at;
  c.recorder = outer?.below.get(index);
  const value = parseValue(c);
  if (value !== undefined) c.recorder?.spans.push({ start: start, labelStart: start, end: c.at, kind: kindOf(value) });
  c.recorder = outer;
  return value;
}

function enter(c: StaticCursor): boolean {
  if (c.depth === maxDepth) return false;
  c.depth += 1;
  c.at += 1;
  skipLines(c);
  return true;
}

function leave(c: StaticCursor, bracket: number): boolean {
  if (charCodeAt(c) !== bracket) return false;
  c.depth -= 1;
  c.at += 1;
  return true;
}
