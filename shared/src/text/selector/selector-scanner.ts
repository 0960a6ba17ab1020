import { fail, ok, type Result } from "../../model/result.ts";

/** What is wrong and where: `offset` counts the text's characters (UTF-16 units) from 0. */
export type SelectorError = { readonly message: string; readonly offset: number };

/** A place in a selector's text. Moves forward only, so that a parse is linear in the text's length. */
export type Cursor = { readonly text: string; at: number };

const keyCharacters = characterSet("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./-");
const valueCharacters = new Set([...keyCharacters, ":"]);
const blanks = characterSet(" \t\r\n");

export function skipBlanks(cursor: Cursor): void {
  while (blanks.has(cursor.text[cursor.at] ?? "")) cursor.at += 1;
}

/** Takes `token` where it stands next, after blanks. */
export function take(cursor: Cursor, token: string): boolean {
  skipBlanks(cursor);
  if (!cursor.text.startsWith(token, cursor.at)) return false;
  cursor.at += token.length;
  return true;
}

/** A label's key, or a reserved one with its `@`. */
export function scanKey(cursor: Cursor): Result<string, SelectorError> {
  skipBlanks(cursor);
  const start = cursor.at;
  if (cursor.text[start] === "@") cursor.at += 1;
  const name = scanRun(cursor, keyCharacters);
  return name === "" ? expected(cursor, "a label's key") : ok(cursor.text.slice(start, cursor.at));
}

/** A bare value, or one in double quotes in which `\"` and `\\` stand for themselves. */
export function scanValue(cursor: Cursor): Result<string, SelectorError> {
  if (take(cursor, '"')) return scanQuoted(cursor);
  const value = scanRun(cursor, valueCharacters);
  return value === "" ? expected(cursor, 'a value (the empty one is "")') : ok(value);
}

/** A word such as `in`, without moving where something else stands next. */
export function takeWord(cursor: Cursor, word: string): boolean {
  skipBlanks(cursor);
  const start = cursor.at;
  if (scanRun(cursor, keyCharacters) === word) return true;
  cursor.at = start;
  return false;
}

/** The failure of finding something else than `wanted` at the cursor. */
export function expected(cursor: Cursor, wanted: string): { readonly ok: false; readonly error: SelectorError } {
  const found = cursor.text.codePointAt(cursor.at);
  const shown = found === undefined ? "the end" : JSON.stringify(String.fromCodePoint(found));
  return fail({ message: `expected ${wanted}, found ${shown}`, offset: cursor.at });
}

function scanQuoted(cursor: Cursor): Result<string, SelectorError> {
  const openedAt = cursor.at - 1;
  let value = "";
  for (;;) {
    const character = cursor.text[cursor.at];
    if (character === undefined) return fail({ message: "this quote is not closed", offset: openedAt });
    cursor.at += 1;
    if (character === '"') return ok(value);
    if (character !== "\\") value += character;
    else if (take1(cursor, '"')) value += '"';
    else if (take1(cursor, "\\")) value += "\\";
    else return fail({ message: 'a backslash is followed by " or \\', offset: cursor.at - 1 });
  }
}

function take1(cursor: Cursor, character: string): boolean {
  if (cursor.text[cursor.at] !== character) return false;
  cursor.at += 1;
  return true;
}

function scanRun(cursor: Cursor, characters: ReadonlySet<string>): string {
  const start = cursor.at;
  while (characters.has(cursor.text[cursor.at] ?? "")) cursor.at += 1;
  return cursor.text.slice(start, cursor.at);
}

function characterSet(characters: string): ReadonlySet<string> {
  return new Set(characters);
}
