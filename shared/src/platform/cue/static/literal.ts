import { controlEscapes } from "../source/tokens.ts";
import { charCodes, type StaticCursor } from "./cursor.ts";

/**
 * Parses the string literal at the cursor: `"…"` or, over several lines, `"""…"""`.
 *
 * @returns undefined for interpolations, invalid strings and rarely used notations
 */
export function parseString(c: StaticCursor): string | undefined {
  const { text } = c;
  if (text.startsWith('"""', c.at)) return parseMultilineString(c);
  const start = c.at + 1;
  let escaped = false;
  for (let at = start; at < text.length; at += 1) {
    const here = text.charCodeAt(at);
    if (here === charCodes.quote) {
      c.at = at + 1;
      return escaped ? replaceEscapes(text.slice(start, at)) : text.slice(start, at);
    }
    if (here === charCodes.backslash) {
      escaped = true;
      at += 1;
    } else if (here < charCodes.space && here !== charCodes.tab) return undefined;
  }
  return undefined;
}

/** Parses a multi-line string. The indentation of the closing quotes is removed from every line. */
function parseMultilineString(c: StaticCursor): string | undefined {
  const close = c.text.indexOf('"""', c.at + 3);
  const lines = c.text.slice(c.at + 3, close < 0 ? c.at + 3 : close).split("\n");
  const indentation = lines.pop() ?? "";
  if (lines.shift() !== "" || !/^[ \t]*$/.test(indentation)) return undefined;
  const body: string[] = [];
  for (const line of lines) {
    if (line !== "" && !line.startsWith(indentation)) return undefined;
    body.push(line.slice(indentation.length));
  }
  const joined = body.join("\n");
  // With adjacent quotes or a quote after a backslash, the end of the literal is ambiguous.
  if (joined.includes('""') || hasControl.test(joined) || c.text.charCodeAt(close + 3) === charCodes.quote)
    return undefined;
  c.at = close + 3;
  return replaceEscapes(joined);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are searched for
const hasControl = /[\x00-\x08\x0b-\x1f]/;
const escapeSequence = /\\(?:u([\da-fA-F]{4})|U([\da-fA-F]{8})|([abfnrtv/"\\]))/y;
const simple: Readonly<Record<string, string>> = { ...controlEscapes, "/": "/", '"': '"', "\\": "\\" };

/** Replaces escapes; undefined for an invalid escape or an unpaired surrogate. */
function replaceEscapes(raw: string): string | undefined {
  let value = "";
  let from = 0;
  for (let at = raw.indexOf("\\"); at >= 0; at = raw.indexOf("\\", from)) {
    escapeSequence.lastIndex = at;
    const found = escapeSequence.exec(raw);
    if (found === null) return undefined;
    const [all, four, eight, letter = ""] = found;
    const point = Number.parseInt(four ?? eight ?? "0", 16);
    if (point > 0x10ffff) return undefined;
    value += raw.slice(from, at) + (simple[letter] ?? String.fromCodePoint(point));
    from = at + all.length;
  }
  value += raw.slice(from);
  return value.isWellFormed() ? value : undefined;
}

const number = /-?(?:0|[1-9](?:_?\d)*)(?:\.\d+)?(?:[eE][+-]?\d{1,2})?/y;
/** Number of decimal digits that a double always represents exactly. */
const exactDigits = 15;

/** Parses the number at the cursor; undefined when a double may differ from CUE's value. */
export function parseNumber(c: StaticCursor): number | undefined {
  number.lastIndex = c.at;
  const found = number.exec(c.text)?.[0];
  if (found === undefined || found.length > 2 * exactDigits) return undefined;
  const [mantissa = ""] = found.split(/[eE]/);
  if (mantissa.replace(/\D/g, "").length > exactDigits) return undefined;
  const value = Number(found.replaceAll("_", ""));
  if (Object.is(value, -0)) return undefined;
  c.at += found.length;
  return value;
}

/** Parses the word at the cursor; undefined without a word, or for a hidden or non-ASCII one. */
export function parseWord(c: StaticCursor): string | undefined {
  const { text, at } = c;
  if (!beginsWord(text.charCodeAt(at))) return undefined;
  let end = at + 1;
  for (let here = text.charCodeAt(end); beginsWord(here) || isDigit(here) || here === charCodes.underscore; ) {
    end += 1;
    here = text.charCodeAt(end);
  }
  c.at = end;
  return text.slice(at, end);
}

const isDigit = (unit: number): boolean => unit >= charCodes.zero && unit <= charCodes.nine;
/** `a` to `z` differ from `A` to `Z` in one bit. */
const beginsWord = (unit: number): boolean =>
  ((unit | 32) >= charCodes.lowerA && (unit | 32) <= charCodes.lowerZ) || unit === charCodes.dollar;
