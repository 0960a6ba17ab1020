import type { CueFile } from "../source/source-position.ts";
import { charCodeAt, charCodes, readSeparator, type StaticCursor, skipLines } from "./cursor.ts";
import type { Json, JsonStruct } from "./json.ts";
import { keywords } from "./label.ts";
import { parseWord } from "./literal.ts";
import type { SpanRecorder } from "./span-recorder.ts";
import { applyFieldOrder, type LabelOrders, unifyValues } from "./unify.ts";
import { parseFields, parseStruct } from "./value.ts";

/**
 * Parses a document that is static data, in time proportional to its length: structs, lists, strings, numbers, `true`,
 * `false` and `null` under literal labels, with comments and a package clause. A field may repeat if its values agree.
 *
 * @param recorder receives spans; default: none are recorded
 * @returns exactly CUE's value of the files, with fields in CUE's order; undefined for expressions, errors and anything
 *   whose meaning is uncertain: the caller then has CUE evaluate the document
 */
export function parseStatic(files: readonly CueFile[], recorder?: SpanRecorder): Json | undefined {
  const labelOrders: LabelOrders = new Map();
  let document: Json | undefined;
  for (const { text } of files) {
    const file = hasValidCharacters(text) ? parseStaticFile(text, { labelOrders, recorder }) : undefined;
    if (file === undefined) return undefined;
    document = document === undefined ? file : unifyValues(document, file, labelOrders);
    if (document === undefined) return undefined;
  }
  applyFieldOrder(labelOrders);
  return document;
}

/** True without characters that CUE rejects everywhere. */
export const hasValidCharacters = (text: string): boolean =>
  text.isWellFormed() && !text.includes("\0") && text.indexOf("\uFEFF", 1) < 0;

/** Parses one file of valid characters. Its fields are not yet in CUE's order. */
export function parseStaticFile(
  text: string,
  state: Pick<StaticCursor, "labelOrders" | "recorder">,
): JsonStruct | undefined {
  const c: StaticCursor = { text, at: text.startsWith("\uFEFF") ? 1 : 0, depth: 0, ...state };
  skipLines(c);
  if (!skipPackageClause(c)) return undefined;
  const struct = charCodeAt(c) === charCodes.openStruct ? parseJsonObject(c) : parseFields(c);
  return c.at === text.length ? struct : undefined;
}

/** Parses a file that is one JSON object. */
function parseJsonObject(c: StaticCursor): JsonStruct | undefined {
  const struct = parseStruct(c);
  readSeparator(c);
  return struct;
}

/** Parses an optional package clause; false for an unusual one, which is left to CUE. */
function skipPackageClause(c: StaticCursor): boolean {
  const start = c.at;
  if (parseWord(c) !== "package") {
    c.at = start;
    return true;
  }
  const gap = charCodeAt(c);
  skipGap(c);
  const name = parseWord(c);
  if ((gap !== charCodes.space && gap !== charCodes.tab) || name === undefined || keywords.has(name)) return false;
  return readSeparator(c) === "line" || c.at === c.text.length;
}

function skipGap(c: StaticCursor): void {
  while (charCodeAt(c) === charCodes.space || charCodeAt(c) === charCodes.tab) c.at += 1;
}
