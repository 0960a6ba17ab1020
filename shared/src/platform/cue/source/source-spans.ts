import { type Token, tokensOf } from "./tokens.ts";

export type Path = readonly (string | number)[];

/** A place in a source where a document's path is written out, label by label. */
export type Spot = {
  /** Offset of the value's first character, in UTF-16 units; of its label's, which of a list's element is the same. */
  readonly at: number;
  readonly labelAt: number;
  /** Offset behind the value. */
  readonly end: number;
  /** What is written there: one literal, a struct (also by a further label), or anything else. */
  readonly kind: "literal" | "struct" | "expression";
};

/** The spots of each path, in the source's order; keys are `pathKey(path)`. */
export type Spots = ReadonlyMap<string, readonly Spot[]>;
export const pathKey = (path: Path): string => JSON.stringify(path);

type Cursor = { readonly tokens: readonly Token[]; at: number; depth: number; readonly spots: Map<string, Spot[]> };
/** `undefined`: below a pattern, a computed label or a `let`; nothing is noted there. */
type MaybePath = Path | undefined;

/** Deeper nesting than anybody writes by hand; what is below is skipped. */
const maxDepth = 300;

/**
 * Notes where every path of a document stands literally. It reads labels, structs and lists and skips over
 * expressions: no value is computed, so fields that a template, pattern or comprehension makes are not here.
 * Total: a source that CUE refuses gives what could be read.
 */
export function spotsOf(source: string): Spots {
  const cursor: Cursor = { tokens: tokensOf(source), at: 0, depth: 0, spots: new Map() };
  while (peek(cursor).kind !== "end") {
    declarations(cursor, []);
    cursor.at += 1;
  }
  return cursor.spots;
}

/** Notes a spot; where its end is not known yet, what comes back tells it. */
function note(c: Cursor, path: MaybePath, spot: Spot): ((end: number) => void) | undefined {
  if (path === undefined) return undefined;
  const key = pathKey(path);
  const list = c.spots.get(key) ?? [];
  c.spots.set(key, list);
  const index = list.push(spot) - 1;
  return (end) => {
    list[index] = { ...spot, end };
  };
}

/** The offset behind the last token read. */
function endOf(c: Cursor): number {
  const before = c.tokens[c.at - 1];
  return before === undefined ? 0 : before.at + before.text.length;
}

const end: Token = { kind: "end", text: "", at: 0 };
const peek = (c: Cursor, ahead = 0): Token => c.tokens[c.at + ahead] ?? c.tokens.at(-1) ?? end;
const isMark = (token: Token, ...texts: string[]): boolean => token.kind === "mark" && texts.includes(token.text);

/** Reads up to the closing `}` or the end, which stays. */
function declarations(c: Cursor, path: MaybePath): void {
  for (;;) {
    const token = peek(c);
    if (token.kind === "end" || isMark(token, "}", "]", ")")) break;
    if (token.kind === "newline" || isMark(token, ",")) c.at += 1;
    else declaration(c, path);
  }
}

/** Goes one deeper; too deep, it skips to behind the bracket that the cursor is just inside of. */
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

/** A label and its value, or false and nothing read. `a: b: 1` is a struct with one field. */
function field(c: Cursor, path: MaybePath): boolean {
  const label = labelAt(c);
  if (label === undefined) return false;
  const start = peek(c).at;
  c.at = label.end;
  while (peek(c).kind === "newline") c.at += 1;
  const below = path === undefined || label.name === undefined ? undefined : [...path, label.name];
  const token = peek(c);
  if (labelAt(c) !== undefined) {
    const spot = { at: token.at, labelAt: start, kind: "struct", end: 0 } as const;
    const noted = note(c, below, spot);
    c.depth += 1;
    if (c.depth < maxDepth) field(c, below);
    else for (let next = labelAt(c); next !== undefined; next = labelAt(c)) c.at = next.end;
    c.depth -= 1;
    noted?.(endOf(c));
    return true;
  }
  const first = c.at;
  const shape = expression(c, below);
  const alone = c.at === first + 1 && isLiteral(token);
  note(c, below, { at: token.at, labelAt: start, kind: alone ? "literal" : shape, end: endOf(c) });
  return true;
}

const isLiteral = (token: Token): boolean =>
  token.kind === "number" ||
  token.value !== undefined ||
  (token.kind === "word" && ["true", "false", "null"].includes(token.text));

/** The label at the cursor with the index behind its colon; `name` is undefined for patterns and computed ones. */
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

/** The index behind the bracket that closes the one at `from`. */
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
 * Reads one expression and says whether it holds a struct. It ends before `,`, a closing bracket, a newline behind an
 * operand, and, with `clause`, before the struct of a comprehension.
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

/** Behind the `[`: its elements up to the `]`. Behind a comprehension indices are unknown. */
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
    note(c, element, { at: token.at, labelAt: token.at, kind, end: endOf(c) });
    if (index !== undefined) index += 1;
  }
}

/** `for … in … if … { … }`: the struct's fields belong to the struct around it. */
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
