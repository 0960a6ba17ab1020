/**
 * A token of a CUE document, as detailed as finding positions requires. `text` is the source. A string is one token,
 * interpolations included; `value` is set for a single-line string without interpolation.
 */
export type Token = {
  readonly kind: "word" | "string" | "number" | "mark" | "newline" | "end";
  readonly text: string;
  /** Offset in UTF-16 units. */
  readonly at: number;
  readonly value?: string;
};

const wordStart = /[\p{L}_$#]/u;
const word = /[\p{L}\p{N}_$#]/u;
const number = /(?:0[xob][\da-fA-F_]+|\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?(?:[KMGTP]i?)?/y;
const opening = /#*(?:"""|'''|"|')/y;
const marks = ["...", "&&", "||", "==", "!=", "<=", ">=", "=~", "!~", "::"];

/** Splits a document into tokens, the last of which is `end`. Never fails: invalid characters become marks. */
export function tokensOf(source: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < source.length) {
    const char = source[at] as string;
    if (char === "\n") tokens.push({ kind: "newline", text: char, at });
    else if (source.startsWith("//", at)) {
      const end = source.indexOf("\n", at);
      at = end < 0 ? source.length : end;
      continue;
    } else if (!/\s|\uFEFF/.test(char)) {
      const token = tokenAt(source, at);
      tokens.push(token);
      at += token.text.length;
      continue;
    }
    at += 1;
  }
  tokens.push({ kind: "end", text: "", at: source.length });
  return tokens;
}

function tokenAt(source: string, at: number): Token {
  opening.lastIndex = at;
  const quote = opening.exec(source)?.[0];
  if (quote !== undefined) return stringAt(source, at, quote);
  const char = String.fromCodePoint(source.codePointAt(at) as number);
  if (wordStart.test(char)) return { kind: "word", text: source.slice(at, wordEnd(source, at)), at };
  number.lastIndex = at;
  const digits = number.exec(source)?.[0];
  if (digits !== undefined && digits !== "") return { kind: "number", text: digits, at };
  const mark = marks.find((m) => source.startsWith(m, at)) ?? char;
  return { kind: "mark", text: mark, at };
}

function wordEnd(source: string, from: number): number {
  let at = from;
  while (at < source.length) {
    const char = String.fromCodePoint(source.codePointAt(at) as number);
    if (!word.test(char)) break;
    at += char.length;
  }
  return at;
}

function stringAt(source: string, at: number, open: string): Token {
  const hashes = open.replace(/[^#]/g, "");
  const quotes = open.slice(hashes.length);
  const close = quotes + hashes;
  const escaping = `\\${hashes}`;
  const multiline = quotes.length === 3;
  let end = at + open.length;
  let plain = true;
  while (end < source.length && !source.startsWith(close, end)) {
    if (!multiline && source[end] === "\n") break;
    if (!source.startsWith(escaping, end)) end += 1;
    else if (source[end + escaping.length] === "(") {
      plain = false;
      end = closingParenthesis(source, end + escaping.length);
    } else end += escaping.length + 1;
  }
  const text = source.slice(at, Math.min(source.length, end + close.length));
  if (!plain || multiline || !quotes.startsWith('"')) return { kind: "string", text, at };
  return { kind: "string", text, at, value: withoutEscapes(source.slice(at + open.length, end), escaping) };
}

/** Offset after the `)` that closes the `(` at `at`. */
function closingParenthesis(source: string, at: number): number {
  let depth = 0;
  let end = at;
  while (end < source.length) {
    opening.lastIndex = end;
    const quote = opening.exec(source)?.[0];
    if (quote !== undefined) {
      end += stringAt(source, end, quote).text.length;
      continue;
    }
    if (source[end] === "(") depth += 1;
    else if (source[end] === ")" && --depth === 0) return end + 1;
    end += 1;
  }
  return end;
}

/** One-letter escapes of control characters. */
export const controlEscapes: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

function withoutEscapes(text: string, escaping: string): string {
  const parts = text.split(escaping);
  const rest = parts.slice(1).map((part) => {
    const code = /^(?:u([\da-fA-F]{4})|U([\da-fA-F]{8}))/.exec(part);
    if (code !== null) {
      const point = Number.parseInt(code[1] ?? code[2] ?? "", 16);
      return (point <= 0x10ffff ? String.fromCodePoint(point) : "") + part.slice(code[0].length);
    }
    return (controlEscapes[part[0] ?? ""] ?? part[0] ?? "") + part.slice(1);
  });
  return (parts[0] ?? "") + rest.join("");
}
