import { type DocumentPath, pathKey } from "../../../text/document-path.ts";
import { type Token, tokensOf } from "./tokens.ts";

/** Stretch of source text in which a path of the document is written out, label by label. */
export type SourceSpan = {
  /** Offset of the value's first character, UTF-16 units. */
  readonly start: number;
  /** Offset of the label's first character; equals `start` for a list element. */
  readonly labelStart: number;
  /** Offset after the value. */
  readonly end: number;
  /** Form of the value: one literal, a struct (in braces or as a chained label `a: b: …`), or any other expression. */
  readonly kind: "literal" | "struct" | "expression";
};

/** Spans of each path in source order; keys are `pathKey(path)`. */
export type SourceSpans = ReadonlyMap<string, readonly SourceSpan[]>;

type Cursor = {
  readonly tokens: readonly Token[];
  at: number;
  depth: number;
  readonly spans: Map<string, SourceSpan[]>;
};
/** Undefined below a pattern, a computed label or a `let`, where no spans are recorded. */
type MaybePath = DocumentPath | undefined;

/** Maximum nesting depth. Deeper values are skipped. */
const maxDepth = 300;

/**
 * Finds the spans of all paths that a document writes out. Parses labels, structs and lists and skips expressions: no
 * value is computed, so a field that a template, pattern or comprehension generates has no span. Never fails: an
 * invalid source yields the spans that could be parsed.
 */
export function findSpans(source: string): SourceSpans {
  const cursor: Cursor = { tokens: tokensOf(source), at: 0, depth: 0, spans: new Map() };
  while (peek(cursor).kind !== "end") {
    declarations(cursor, []);
    cursor.at += 1;
  }
  return cursor.spans;
}

/** Records a span. Returns a function that sets its end once the end is known. */
function record(c: Cursor, path: MaybePath, span: SourceSpan): ((end: number) => void) | undefined {
  if (path === undefined) return undefined;
  const list = c.spans.getOrInsertComputed(pathKey(path), () => []);
  const index = list.push(span) - 1;
  return (end) => {
    list[index] = { ...span, end };
  };
}

/** Offset after the last token read. */
function endOf(c: Cursor): number {
  const before = c.tokens[c.at - 1];
  return before === undefined ? 0 : before.at + before.text.length;
}

const end: Token = { kind: "end", text: "", at: 0 };
const peek = (c: Cursor): Token => c.tokens[c.at] ?? c.tokens.at(-1) ?? end;
const isMark = (token: Token, ...texts: string[]): boolean => token.kind === "mark" && texts.includes(token.text);

/** Reads up to the closing `}` or the end, without consuming it. */
function declarations(c: Cursor, path: MaybePath): void {
  for (;;) {
    const token = peek(c);
    if (token.kind === "end" || isMark(token, "}", "]", ")")) break;
    if (token.kind === "newline" || isMark(token, ",")) c.at += 1;
    else declaration(c, path);
  }
}

/** Reads one level deeper. Beyond the maximum depth it skips to after the bracket around the cursor. */
function deeper(c: Cursor, read: () => void): void {
  if (c.depth >= maxDepth) {
    c.at = closing(c, c.at - 1);
    return;
  }
  c.depth += 1;
  read();
  c.depth -= 1;
  c.at += 1;
}

function declaration(c: Cursor, path: MaybePath): void {
  const token = peek(c);
  if (field(c, path)) return;
  if (isMark(token, "@")) return attribute(c);
  if (token.kind === "word" && (token.text === "for" || token.text === "if")) return comprehension(c, path);
  if (token.kind === "word" && token.text === "let") return letClause(c);
  if (token.kind === "word" && token.text === "import") return importClause(c);
  if (token.kind === "word" && token.text === "package") {
    c.at += 2;
    return;
  }
  if (isMark(token, "...")) c.at += 1;
  const before = c.at;
  expression(c, path);
  if (c.at === before && !isMark(peek(c), "}", "]", ")") && peek(c).kind !== "end") c.at += 1;
}

/** Reads a label and its value. Returns false, with the cursor unchanged, when there is no label. */
function field(c: Cursor, path: MaybePath): boolean {
  const label = labelAt(c);
  if (label === undefined) return false;
  const start = peek(c).at;
  c.at = label.end;
  while (peek(c).kind === "newline") c.at += 1;
  const below = path === undefined || label.name === undefined ? undefined : [...path, label.name];
  const token = peek(c);
  if (labelAt(c) !== undefined) {
    const span = { start: token.at, labelStart: start, kind: "struct", end: 0 } as const;
    const setEnd = record(c, below, span);
    c.depth += 1;
    if (c.depth < maxDepth) field(c, below);
    else for (let next = labelAt(c); next !== undefined; next = labelAt(c)) c.at = next.end;
    c.depth -= 1;
    setEnd?.(endOf(c));
    return true;
  }
  const first = c.at;
  const shape = expression(c, below);
  const alone = c.at === first + 1 && isLiteral(token);
  record(c, below, { start: token.at, labelStart: start, kind: alone ? "literal" : shape, end: endOf(c) });
  return true;
}

const isLiteral = (token: Token): boolean =>
  token.kind === "number" ||
  token.value !== undefined ||
  (token.kind === "word" && ["true", "false", "null"].includes(token.text));

/** Label at the cursor and index after its colon. `name` is undefined for a pattern or a computed label. */
function labelAt(c: Cursor): { readonly name: string | undefined; readonly end: number } | undefined {
  let at = c.at;
  const token = (): Token => c.tokens[at] ?? end;
  if (token().kind === "word" && isMark(c.tokens[at + 1] ?? end, "=")) at += 2;
  let name: string | undefined;
  if (token().kind === "word") name = token().text.startsWith("#") ? undefined : token().text;
  else if (token().kind === "number") name = token().text;
  else if (token().kind === "string") name = token().value;
  else if (isMark(token(), "[", "(")) at = closing(c, at) - 1;
  else return undefined;
  at += 1;
  if (isMark(token(), "?", "!")) at += 1;
  return isMark(token(), ":") ? { name, end: at + 1 } : undefined;
}

/** Index after the bracket that closes the one at `from`. */
function closing(c: Cursor, from: number): number {
  let depth = 0;
  for (let at = from; at < c.tokens.length; at += 1) {
    const token = c.tokens[at] ?? end;
    if (isMark(token, "[", "(", "{")) depth += 1;
    else if (isMark(token, "]", ")", "}") && --depth === 0) return at + 1;
  }
  return c.tokens.length;
}

const wordOperators = new Set(["div", "mod", "quo", "rem", "in"]);

/**
 * Reads one expression; returns `struct` if it contains one. Stops before `,`, a closing bracket, a newline after an
 * operand and, with `clause`, before the struct of a comprehension.
 */
function expression(c: Cursor, path: MaybePath, clause = false): "struct" | "expression" {
  let operand = false;
  let shape: "struct" | "expression" = "expression";
  for (;;) {
    const token = peek(c);
    if (token.kind === "end" || isMark(token, ",", "}", "]", ")")) return shape;
    if (token.kind === "newline" && operand) return shape;
    if (isMark(token, "{") && operand && clause) return shape;
    if (isMark(token, "[", "(") && operand) {
      c.at = closing(c, c.at);
      continue;
    }
    c.at += 1;
    if (isMark(token, "{")) {
      deeper(c, () => declarations(c, clause ? undefined : path));
      shape = "struct";
    } else if (isMark(token, "[")) deeper(c, () => list(c, path));
    else if (isMark(token, "(")) {
      deeper(c, () => {
        shape = expression(c, path);
      });
    }
    if (token.kind !== "newline") operand = endsOperand(token);
  }
}

function endsOperand(token: Token): boolean {
  if (token.kind === "word") return !wordOperators.has(token.text);
  return token.kind !== "mark" || ["{", "[", "(", "..."].includes(token.text);
}

/** Reads list elements up to the `]`. After a comprehension the indexes are unknown and no spans are recorded. */
function list(c: Cursor, path: MaybePath): void {
  let index: number | undefined = 0;
  for (;;) {
    const token = peek(c);
    if (token.kind === "end" || isMark(token, "]")) break;
    if (token.kind === "newline" || isMark(token, ",", ")", "}")) {
      c.at += 1;
      continue;
    }
    const element: MaybePath = path === undefined || index === undefined ? undefined : [...path, index];
    if (token.kind === "word" && (token.text === "for" || token.text === "if")) {
      index = undefined;
      comprehension(c, undefined);
      continue;
    }
    const first = c.at;
    const shape = expression(c, element);
    const kind = c.at === first + 1 && isLiteral(token) ? "literal" : shape;
    record(c, element, { start: token.at, labelStart: token.at, kind, end: endOf(c) });
    if (index !== undefined) index += 1;
  }
}

/** Reads `for … in … if … { … }`. The fields of its struct belong to the enclosing struct. */
function comprehension(c: Cursor, path: MaybePath): void {
  for (;;) {
    const token = peek(c);
    if (token.kind === "end" || isMark(token, "}", "]", ")")) return;
    if (isMark(token, "{")) break;
    c.at += 1;
    if (token.kind === "word") expression(c, undefined, true);
  }
  c.at += 1;
  deeper(c, () => declarations(c, path));
}

function letClause(c: Cursor): void {
  c.at += 3;
  expression(c, undefined);
}

function importClause(c: Cursor): void {
  c.at += 1;
  if (isMark(peek(c), "(")) c.at = closing(c, c.at);
  else while (peek(c).kind !== "newline" && peek(c).kind !== "end") c.at += 1;
}

function attribute(c: Cursor): void {
  c.at += 2;
  if (isMark(peek(c), "(")) c.at = closing(c, c.at);
}
