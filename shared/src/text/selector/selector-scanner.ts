import { fail, ok, type Result } from "../../model/result.ts";

/** What is wrong and where: `offset` counts the text's characters (UTF-16 units) from 0. */
export type SelectorError = { readonly message: string; readonly offset: number };

/** A place in a selector's text. Moves forward only, so that a parse is linear in the text's length. */
export type SelectorCursor = { readonly text: string; at: number };

const keyCharacters = characterSet("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./-");
const valueCharacters = new Set([...keyCharacters, ":"]);
const blanks = characterSet(" \t\r\n");

export function skipSelectorBlanks(cursor: SelectorCursor): void {
  while (blanks.has(cursor.text[cursor.at] ?? "")) cursor.at += 1;
}

/** Takes `token` where it stands next, after blanks. */
export function takeToken(cursor: SelectorCursor, token: string): boolean {
  skipSelectorBlanks(cursor);
  if (!cursor.text.startsWith(token, cursor.at)) return false;
  cursor.at += token.length;
  return true;
}

/** A label's key, or a reserved one with its `@`. */
export function scanKey(cursor: SelectorCursor): Result<string, SelectorError> {
  skipSelectorBlanks(cursor);
  const start = cursor.at;
  if (cursor.text[start] === "@") cursor.at += 1;
  const name = scanRun(cursor, keyCharacters);
  return name === "" ? failExpected(cursor, "a label's key") : ok(cursor.text.slice(start, cursor.at));
}

/** A bare value, or one in double quotes in which `\"` and `\\` stand for themselves. */
export function scanValue(cursor: SelectorCursor): Result<string, SelectorError> {
  if (takeToken(cursor, '"')) return scanQuoted(cursor);
  const value = scanRun(cursor, valueCharacters);
  return value === "" ? failExpected(cursor, 'a value (the empty one is "")') : ok(value);
}

/** A word such as `in`, without moving where something else stands next. */
export function takeWord(cursor: SelectorCursor, word: string): boolean {
  skipSelectorBlanks(cursor);
  const start = cursor.at;
  if (scanRun(cursor, keyCharacters) === word) return true;
  cursor.at = start;
  return false;
}

/** The failure of finding something else than `wanted` at the cursor. */
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
