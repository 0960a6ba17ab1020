/** Kind of a token of CUE as the editor colours it; undefined for punctuation, blanks and plain names. */
export type CueTokenKind = "comment" | "string" | "number" | "keyword" | "atom" | "type" | "field" | "attribute";

/** State at the end of a line: the text that ends a string of several lines; empty outside of one. */
type CueLineState = { stringEnd: string };
export const startCueState = (): CueLineState => ({ stringEnd: "" });

const keywords = new Set(["package", "import", "for", "in", "if", "let", "func"]);
const atoms = new Set(["true", "false", "null", "_", "_|_"]);
const types = new Set(
  "string bytes bool int uint float number int8 int16 int32 int64 uint8 uint16 uint32 uint64 rune".split(" "),
);
const fieldEnd = /\s*[?!]?\s*:(?!=)/y;
const name = /(?:_?#|_)?[\p{L}_$][\p{L}\p{N}_$]*/uy;
const numeral = /(?:0[xob][\da-fA-F_]+|\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?(?:[KMGTP]i?)?|\.\d+)/y;
const multilineStart = /#*(?:"""|''')/y;
const quoteStart = /#*["']/y;

function matchAt(pattern: RegExp, line: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(line)?.[0];
}

/** Token of a line that begins at an offset. `state` is carried over the lines of the document. */
export function cueToken(
  line: string,
  at: number,
  state: CueLineState,
): { end: number; kind: CueTokenKind | undefined } {
  if (state.stringEnd !== "") {
    const found = line.indexOf(state.stringEnd, at);
    const end = found < 0 ? line.length : found + state.stringEnd.length;
    if (found >= 0) state.stringEnd = "";
    return { end, kind: "string" };
  }
  const isFieldAt = (end: number): boolean => matchAt(fieldEnd, line, end) !== undefined;
  if (line.startsWith("//", at)) return { end: line.length, kind: "comment" };
  const multiline = matchAt(multilineStart, line, at);
  if (multiline !== undefined) {
    const hashes = multiline.slice(0, -3);
    const closing = `${multiline.slice(-3)}${hashes}`;
    const found = line.indexOf(closing, at + multiline.length);
    if (found < 0) state.stringEnd = closing;
    return { end: found < 0 ? line.length : found + closing.length, kind: "string" };
  }
  const quote = matchAt(quoteStart, line, at);
  if (quote !== undefined) {
    const end = stringEnd(line, at + quote.length, `${quote.slice(-1)}${quote.slice(0, -1)}`);
    return { end, kind: isFieldAt(end) ? "field" : "string" };
  }
  const number = matchAt(numeral, line, at);
  if (number !== undefined) return { end: at + number.length, kind: "number" };
  if (line[at] === "@") return { end: at + 1 + (matchAt(name, line, at + 1)?.length ?? 0), kind: "attribute" };
  const word = line.startsWith("_|_", at) ? "_|_" : matchAt(name, line, at);
  if (word !== undefined) return { end: at + word.length, kind: kindOfWord(word, isFieldAt(at + word.length)) };
  return { end: at + 1, kind: undefined };
}

function kindOfWord(word: string, isField: boolean): CueTokenKind | undefined {
  if (isField) return "field";
  if (keywords.has(word)) return "keyword";
  if (atoms.has(word)) return "atom";
  return types.has(word) ? "type" : undefined;
}

/** Offset after a string of one line. With hashes around it a backslash escapes only when hashes follow. */
function stringEnd(line: string, from: number, closing: string): number {
  for (let at = from; at < line.length; at += 1) {
    if (line[at] === "\\" && closing.length === 1) at += 1;
    else if (line.startsWith(closing, at)) return at + closing.length;
  }
  return line.length;
}
