import type { CueFile } from "../source/source-position.ts";
import { type Cursor, code, separator, skipLines, unit } from "./cursor.ts";
import { type Fronts, settleOrder, unify } from "./unify.ts";
import type { Json, Struct } from "./json.ts";
import { keywords } from "./label.ts";
import { wordAt } from "./literal.ts";
import { fieldsAt, structAt } from "./value.ts";

/**
 * Reads a document that is plain data, in time proportional to its length: structs, lists, strings, numbers, `true`,
 * `false` and `null` under labels that are written out, with comments and a package clause. Fields may repeat as far
 * as their values plainly agree.
 *
 * @returns exactly what CUE makes of the files, fields in its order; undefined where they hold anything more than
 * data, anything wrong or anything doubtful: then CUE is to be asked
 */
export function readPlain(files: readonly CueFile[]): Json | undefined {
  const fronts: Fronts = new Map();
  let document: Json | undefined;
  for (const { text } of files) {
    const file = isSound(text) ? readFile(text, { fronts, watch: undefined }) : undefined;
    if (file === undefined) return undefined;
    document = document === undefined ? file : unify(document, file, fronts);
    if (document === undefined) return undefined;
  }
  settleOrder(fronts);
  return document;
}

/** No characters that CUE refuses wherever they stand. */
const isSound = (text: string): boolean => text.isWellFormed() && !text.includes("\0") && text.indexOf("\uFEFF", 1) < 0;

/** Reads one file of sound characters, its fields not yet in order. */
export function readFile(text: string, notes: Pick<Cursor, "fronts" | "watch">): Struct | undefined {
  const c: Cursor = { text, at: text.startsWith("\uFEFF") ? 1 : 0, depth: 0, ...notes };
  skipLines(c);
  if (!packageClause(c)) return undefined;
  const struct = unit(c) === code.openStruct ? jsonAt(c) : fieldsAt(c);
  return c.at === text.length ? struct : undefined;
}

/** A file of JSON as it is: a struct without a label. */
function jsonAt(c: Cursor): Struct | undefined {
  const struct = structAt(c);
  separator(c);
  return struct;
}

/** Reads a package clause where there is one; false where there is something like one. */
function packageClause(c: Cursor): boolean {
  const start = c.at;
  if (wordAt(c) !== "package") {
    c.at = start;
    return true;
  }
  const gap = unit(c);
  skipGap(c);
  const name = wordAt(c);
  if ((gap !== code.space && gap !== code.tab) || name === undefined || keywords.has(name)) return false;
  return separator(c) === "line" || c.at === c.text.length;
}

function skipGap(c: Cursor): void {
  while (unit(c) === code.space || unit(c) === code.tab) c.at += 1;
}
