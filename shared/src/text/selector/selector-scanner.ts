import { fail, ok, type Result } from "../../model/result.ts";

/** Syntax error. `offset` counts UTF-16 units from 0. */
export type SelectorError = { readonly message: string; readonly offset: number };

/** Position in a selector's text. It only moves forward, so that parsing takes linear time. */
export type SelectorCursor = { readonly text: string; at: number };

const keyCharacters = characterSet("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./-");
const valueCharacters = new Set([...keyCharacters, ":"]);
const blanks = characterSet(" \t\r\n");

export function skipSelectorBlanks(cursor: SelectorCursor): void {
  while (blanks.has(cursor.text[cursor.at] ?? "")) cursor.at += 1;
}

/** Consumes `token` if it is next, after blanks. */
export function takeToken(cursor: SelectorCursor, token: string): boolean {
  skipSelectorBlanks(cursor);
  if (!cursor.text.startsWith(token, cursor.at)) return false;
  cursor.at += token.length;
  return true;
}

/** Scans a label key, or a reserved key with its `@`. */
export function scanKey(cursor: SelectorCursor): Result<string, SelectorError> {
  skipSelectorBlanks(cursor);
  const start = cursor.at;
  if (cursor.text[start] === "@") cursor.at += 1;
  const name = scanRun(cursor, keyCharacters);
  return name === "" ? failExpected(cursor, "a label's key") : ok(cursor.text.slice(start, cursor.at));
}

/** Scans a bare value, or one in double quotes with the escapes `\"` and `\\`. */
export function scanValue(cursor: SelectorCursor): Result<string, SelectorError> {
  if (takeToken(cursor, '"')) return scanQuoted(cursor);
  const value = scanRun(cursor, valueCharacters);
  return value === "" ? failExpected(cursor, 'a value (the empty one is "")') : ok(value);
}

/** Consumes a word such as `in`; false, with the cursor unchanged, if another word is next. */
export function takeWord(cursor: SelectorCursor, word: string): boolean {
  skipSelectorBlanks(cursor);
  const start = cursor.at;
  if (scanRun(cursor, keyCharacters) === word) return true;
  cursor.at = start;
  return false;
}

/** Failure that names the expected and the found text at the cursor. */
export function failExpected(
  cursor: SelectorCursor,
  wanted: string,
): { readonly ok: false; readonly error: SelectorError } {
  const found = cursor.text.codePointAt(cursor.at);
  const shown = found === undefined ? "the end" : JSON.stringify(String.fromCodePoint(found));
  return fail({ message: `expected ${wanted}, found ${shown}`, offset: cursor.at });
}

function scanQuoted(cursor: SelectorCursor): Result<string, SelectorError> {
  const openedAt = cursor.at - 1;
  let value = "";
  for (;;) {
    const character = cursor.text[cursor.at];
    if (character === undefined) return fail({ message: "this quote is not closed", offset: openedAt });
    cursor.at += 1;
    if (character === '"') return ok(value);
    if (character !== "\\") value += character;
    else if (takeCharacter(cursor, '"')) value += '"';
    else if (takeCharacter(cursor, "\\")) value += "\\";
    else return fail({ message: 'a backslash is followed by " or \\', offset: cursor.at - 1 });
  }
}

function takeCharacter(cursor: SelectorCursor, character: string): boolean {
  if (cursor.text[cursor.at] !== character) return false;
  cursor.at += 1;
  return true;
}

function scanRun(cursor: SelectorCursor, characters: ReadonlySet<string>): string {
  const start = cursor.at;
  while (characters.has(cursor.text[cursor.at] ?? "")) cursor.at += 1;
  return cursor.text.slice(start, cursor.at);
}

function characterSet(characters: string): ReadonlySet<string> {
  return new Set(characters);
}
