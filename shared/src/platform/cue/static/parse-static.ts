import type { CueFile } from "../source/source-position.ts";
import { charCodeAt, charCodes, readSeparator, type StaticCursor, skipLines } from "./cursor.ts";
import type { Json, JsonStruct } from "./json.ts";
import { keywords } from "./label.ts";
import { parseWord } from "./literal.ts";
import { applyFieldOrder, type LabelOrders, unifyValues } from "./unify.ts";
import { parseFields, parseStruct } from "./value.ts";

/**
 * Reads a document that is plain data, in time proportional to its length: structs, lists, strings, numbers, `true`,
 * `false` and `null` under labels that are written out, with comments and a package clause. Fields may repeat as far
 * as their values plainly agree.
 *
 * @returns exactly what CUE makes of the files, fields in its order; undefined where they hold anything more than
 * data, anything wrong or anything doubtful: then CUE is to be asked
 */
export function parseStatic(files: readonly CueFile[]): Json | undefined {
  const fronts: LabelOrders = new Map();
  let document: Json | undefined;
  for (const { text } of files) {
    const file = isSound(text) ? parseStaticFile(text, { labelOrders, recorder: undefined }) : undefined;
    if (file === undefined) return undefined;
    document = document === undefined ? file : unifyValues(document, file, fronts);
    if (document === undefined) return undefined;
  }
  applyFieldOrder(fronts);
  return document;
}

/** No characters that CUE refuses wherever they stand. */
const isSound = (text: string): boolean => text.isWellFormed() && !text.includes("\0") && text.indexOf("\uFEFF", 1) < 0;

/** Reads one file of sound characters, its fields not yet in order. */
export function parseStaticFile(text: string, notes: Pick<StaticCursor, "fronts" | "watch">): JsonStruct | undefined {
  const c: StaticCursor = { text, at: text.startsWith("\uFEFF") ? 1 : 0, depth: 0, ...notes };
  skipLines(c);
  if (!packageClause(c)) return undefined;
  const struct = charCodeAt(c) === charCodes.openStruct ? jsonAt(c) : parseFields(c);
  return c.at === text.length ? struct : undefined;
}

/** A file of JSON as it is: a struct without a label. */
function jsonAt(c: StaticCursor): JsonStruct | undefined {
  const struct = parseStruct(c);
  readSeparator(c);
  return struct;
}

/** Reads a package clause where there is one; false where there is something like one. */
function packageClause(c: StaticCursor): boolean {
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
