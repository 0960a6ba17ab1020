import type { Token } from "../source/tokens.ts";
import { parseString } from "../static/literal.ts";
import type { TokenRange } from "./references.ts";

/**
 * Finds the first expression whose result may depend on the content of a text in another way than by copying it. Without
 * one, CUE only copies texts, joins them and compares them for equality, and texts that are not equal are an error or,
 * for a literal, `!=`. So a document gives the same result with other texts put in, unless CUE rejects it.
 */
export function findTextDependence(tokens: readonly Token[], { from, to }: TokenRange): Token | undefined {
  for (let i = from; i < to; i += 1) if (!isHarmless(tokens, i)) return tokens[i];
  return undefined;
}

function isHarmless(tokens: readonly Token[], i: number): boolean {
  const token = tokens[i] as Token;
  if (token.kind === "mark") return isHarmlessMark(tokens, i);
  if (token.kind === "word") return isHarmlessWord(tokens, i);
  return token.kind !== "string" || isHarmlessText(token, tokens[i + 1]);
}

const freeMarks: ReadonlySet<string> = new Set([
  "{",
  "}",
  "[",
  ",",
  ":",
  ".",
  "...",
  "&",
  "*",
  "=",
  "?",
  "+",
  "-",
  "/",
]);
const numberBounds: ReadonlySet<string> = new Set(["<", "<=", ">", ">="]);

function isHarmlessMark(tokens: readonly Token[], i: number): boolean {
  const { text } = tokens[i] as Token;
  const [before, next] = [tokens[i - 1], tokens[i + 1]];
  if (freeMarks.has(text)) return true;
  if (text === "(") return !endsFunction(before);
  if (text === ")") return !isMark(next, ":");
  if (text === "]") return !isMark(next, ":") || isPatternOfAll(tokens, i);
  if (text === "|") return isScalar(before) && startsScalar(tokens, i + 1);
  if (numberBounds.has(text)) return startsNumber(tokens, i + 1);
  return text === "!=" && (startsNumber(tokens, i + 1) || next?.value !== undefined);
}

const isMark = (token: Token | undefined, text: string): boolean => token?.kind === "mark" && token.text === text;

/** True for a token before the `(` of a call. */
const endsFunction = (token: Token | undefined): boolean =>
  token !== undefined &&
  (token.kind === "word" || token.kind === "string" || isMark(token, ")") || isMark(token, "]")) &&
  token.text !== "close";

/** True for the `]` of the patterns `[string]` and `[Name=string]`. */
function isPatternOfAll(tokens: readonly Token[], i: number): boolean {
  const type = tokens[i - 1];
  if (type?.kind !== "word" || (type.text !== "string" && type.text !== "_")) return false;
  if (isMark(tokens[i - 2], "[")) return true;
  return isMark(tokens[i - 2], "=") && tokens[i - 3]?.kind === "word" && isMark(tokens[i - 4], "[");
}

const types: ReadonlySet<string> = new Set(
  "_ string bytes bool int float number null true false uint int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64".split(
    " ",
  ),
);

/** True for a literal or a type that is neither a struct nor a list. */
const isScalar = (token: Token | undefined): boolean =>
  token !== undefined &&
  (token.kind === "number" || token.kind === "string" || (token.kind === "word" && types.has(token.text)));

function startsScalar(tokens: readonly Token[], from: number): boolean {
  let i = from;
  while (tokens[i]?.kind === "newline" || isMark(tokens[i], "*")) i += 1;
  return isScalar(tokens[i]) || startsNumber(tokens, i);
}

/** True for a number, or a bound of numbers. */
function startsNumber(tokens: readonly Token[], from: number): boolean {
  let i = from;
  while (isMark(tokens[i], "-") || numberBounds.has(tokens[i]?.text ?? "")) i += 1;
  return tokens[i]?.kind === "number";
}

const unclear: ReadonlySet<string> = new Set(["if", "for", "in", "import"]);

function isHarmlessWord(tokens: readonly Token[], i: number): boolean {
  const { text } = tokens[i] as Token;
  if (unclear.has(text)) return false;
  // A field of this name would hide what the name stands for in CUE.
  const mayDeclare = [":", "?", "!", "="].some((mark) => isMark(tokens[i + 1], mark)) || tokens[i - 1]?.text === "let";
  return !mayDeclare || (!types.has(text) && text !== "close");
}

const reference = /\\\([\p{L}_$#][\p{L}\p{N}_$#]*(?:\.[\p{L}_$#][\p{L}\p{N}_$#]*)*\)/gu;

/** True for a literal, or a text into which plain references are put. */
function isHarmlessText(token: Token, next: Token | undefined): boolean {
  const { text, value } = token;
  if (value !== undefined) return !text.includes("\\") || plainTextOf(token) !== undefined;
  const isComputedLabel = isMark(next, ":") || isMark(next, "?") || isMark(next, "!");
  return !isComputedLabel && text.startsWith('"') && !text.replace(reference, "").includes("\\");
}

/** Text of a literal in double quotes; undefined for any other token, and for notations that are rarely used. */
export function plainTextOf({ text, value }: Token): string | undefined {
  if (value === undefined || !text.startsWith('"')) return undefined;
  return parseString({ text, at: 0, depth: 0, labelOrders: new Map(), recorder: undefined });
}
