import { fail, ok, type Result } from "../../../model/result.ts";
import type { Token } from "../source/tokens.ts";
import { CueTokenCursor } from "./cue-token-cursor.ts";
import { forEachReference, type TokenRange } from "./references.ts";

/** Declaration, or start or end of a struct, as it is written. */
export type SourcePiece = TokenRange & {
  readonly text: string;
  /** Offset of the text, UTF-16 units. */
  readonly at: number;
  /** Name that the piece declares at the root; undefined for pieces of the split field and clauses. */
  readonly name: string | undefined;
  /** Label of the entry that the piece belongs to; undefined for what all entries share. */
  readonly part: string | undefined;
  /** Index of the entry's label among the tokens. */
  readonly labelToken: number | undefined;
};

/** Expression that prevents a split. `at`: offset in the source, UTF-16 units. */
export type SplitObstacle = { readonly message: string; readonly at: number };

/** Start of the entry in `literals` for a label that is not printed. */
export const otherLabel = "\0";
/** True for a label in Unicode NFC. CUE normalizes the others. */
const isComposed = (label: string): boolean => label === label.normalize("NFC");
const plainWord = /^[A-Za-z$][A-Za-z\d_$]*$/;

/** Labels of the entries that stay in the shared text, and all names to which expressions may refer. */
type SharedLabels = { readonly labels: ReadonlySet<string>; readonly names: ReadonlySet<string> };

/** Labels in one literal of the field. `isChained`: written as `field: label: …`. */
type FieldLiteral = { readonly labels: readonly string[]; readonly isChained: boolean };

type AboutPiece = Partial<Pick<SourcePiece, "part" | "labelToken" | "name">>;

/** Reads a document once and cuts it into pieces. */
export class SplitReader {
  readonly pieces: SourcePiece[] = [];
  readonly literals: FieldLiteral[] = [];
  /** Labels that must stay in the shared text. */
  readonly #kept = new Set<string>();
  /** Names that CUE requires to be used where they are declared. */
  readonly #mustBeUsed = new Set<string>();
  readonly source: string;
  readonly #field: string;
  readonly #c: CueTokenCursor;

  constructor(text: string, field: string) {
    this.source = text;
    this.#field = field;
    this.#c = new CueTokenCursor(text);
  }

  get tokens(): readonly Token[] {
    return this.#c.tokens;
  }

  readRoot(): SplitObstacle | undefined {
    const c = this.#c;
    for (c.skipLineEnds(); c.peek().kind !== "end"; c.skipSeparator()) {
      const obstacle = this.#readRootDeclaration();
      if (obstacle !== undefined) return obstacle;
    }
    return undefined;
  }

  /**
   * Finds the labels of the entries that others refer to, or on which the use of an import depends.
   *
   * @param moreNames names to which expressions that were left out of the document may refer
   */
  findShared(moreNames: ReadonlySet<string>): Result<SharedLabels, SplitObstacle> {
    const labels = new Set(this.pieces.flatMap(({ part }) => (part === undefined ? [] : [part])));
    const kept = new Set(this.#kept);
    for (const label of labels) if (moreNames.has(label)) kept.add(label);
    const usedInShared = new Set<string>();
    const firstUsers = new Map<string, string>();
    let obstacle: SplitObstacle | undefined;
    for (const piece of this.pieces) {
      const { part } = piece;
      forEachReference(this.#c.tokens, piece, (name, { at }) => {
        if (name === this.#field) obstacle ??= { message: `refers to ${this.#field}`, at };
        if (labels.has(name)) kept.add(name);
        if (part === undefined) usedInShared.add(name);
        else if (!firstUsers.has(name)) firstUsers.set(name, part);
      });
    }
    if (obstacle !== undefined) return fail(obstacle);
    for (const name of this.#mustBeUsed) {
      const user = firstUsers.get(name);
      if (!usedInShared.has(name) && user !== undefined) kept.add(user);
    }
    return ok({ labels: kept, names: new Set([...usedInShared, ...firstUsers.keys(), ...moreNames]) });
  }

  #readRootDeclaration(): SplitObstacle | undefined {
    const c = this.#c;
    const from = c.at;
    const label = this.#labelAt(0);
    if (label === this.#field) return this.#readField();
    if (label === undefined && !this.#readClause()) return this.#obstacle("may declare fields of any name at the root");
    const name = label ?? c.peek(c.peek().text === "let" && !c.isMark(":", 1) ? 1 : 0).text;
    return this.#cut(from, { name });
  }

  /** Reads the start of a root declaration that is not a field with a plain name. Returns false for any other. */
  #readClause(): boolean {
    const c = this.#c;
    const { kind, text } = c.peek();
    if (kind !== "word") return false;
    if (c.isMark(":", 1) || ((c.isMark("?", 1) || c.isMark("!", 1)) && c.isMark(":", 2))) return text !== this.#field;
    if (text === "package" || text === "let") {
      if (text === "let") this.#mustBeUsed.add(c.peek(1).text);
      return true;
    }
    if (text !== "import") return false;
    this.#readImports();
    return true;
  }

  /** Collects the names of an import clause, without moving the cursor. */
  #readImports(): void {
    const c = this.#c;
    const last = c.isMark("(", 1) ? (c.closing(c.at + 1) ?? c.at) : c.at + 4;
    for (let at = c.at + 1; at < last; at += 1) {
      const token = c.tokens[at];
      if (token?.kind === "newline" && !c.isMark("(", 1)) return;
      if (token?.kind !== "string") continue;
      const before = c.tokens[at - 1];
      const isNamed = before?.kind === "word" && at - 1 > c.at;
      this.#mustBeUsed.add(isNamed ? before.text : (token.value ?? "").replace(/^.*[/:]/, ""));
    }
  }

  /** Label of a field whose name is printed, at the cursor; undefined for anything else. */
  #labelAt(ahead: number): string | undefined {
    const c = this.#c;
    const { kind, text, value } = c.peek(ahead);
    if (!c.isMark(":", ahead + 1)) return undefined;
    if (kind === "string") return value !== undefined && isComposed(value) ? value : undefined;
    return kind === "word" && plainWord.test(text) ? text : undefined;
  }

  /** Reads `field: {…}` or `field: label: …`. */
  #readField(): SplitObstacle | undefined {
    const c = this.#c;
    const from = c.at;
    c.at += 2;
    c.skipLineEnds();
    if (!c.isMark("{")) {
      const part = this.#labelAt(0);
      if (part === undefined && !this.#isPattern()) return this.#obstacle(this.#notLiteral());
      this.literals.push({ labels: part === undefined ? [] : [part], isChained: true });
      const labelToken = c.at;
      c.at = from;
      return this.#cut(from, { part, labelToken });
    }
    const after = c.closing(c.at);
    if (after === undefined) return this.#obstacle("has brackets that do not match");
    this.#addPiece(from, c.at + 1);
    const labels: string[] = [];
    this.literals.push({ labels, isChained: false });
    c.at += 1;
    for (c.skipLineEnds(); c.at < after - 1; c.skipSeparator()) {
      const obstacle = this.#readEntry(labels);
      if (obstacle !== undefined) return obstacle;
    }
    this.#addPiece(c.at, after);
    c.at = after;
    if (isSeparator(c)) return undefined;
    return this.#obstacle(this.#notLiteral());
  }

  #notLiteral = (): string => `is an expression, where ${this.#field} is not a struct that is written out`;

  /** Reads one declaration in the literal of the field. */
  #readEntry(labels: string[]): SplitObstacle | undefined {
    const c = this.#c;
    const from = c.at;
    const part = this.#labelAt(0);
    if (part !== undefined) {
      labels.push(part);
      return this.#cut(from, { part, labelToken: from });
    }
    const { kind, text } = c.peek();
    if (kind === "word" && c.isMark("=", 1)) {
      const aliased = this.#labelAt(2);
      if (aliased === undefined) return this.#obstacle("is an alias of entries that are not written out");
      this.#mustBeUsed.add(text);
      this.#kept.add(aliased);
      labels.push(aliased);
    } else if (kind === "word" && text === "let" && !c.isMark(":", 1)) this.#mustBeUsed.add(c.peek(1).text);
    else if (kind === "word" && /^_?#|^_/.test(text) && c.isMark(":", 1)) labels.push(`${otherLabel}${text}`);
    else if (!this.#isPattern() && !c.isMark("..."))
      return this.#obstacle(`may declare entries of ${this.#field} of any name`);
    return this.#cut(from);
  }

  /** True for `[pattern]:` at the cursor. */
  #isPattern(): boolean {
    const c = this.#c;
    if (!c.isMark("[")) return false;
    const after = c.closing(c.at);
    return after !== undefined && c.isMark(":", after - c.at);
  }

  /** Adds a piece up to the end of the declaration at the cursor. */
  #cut(from: number, about: AboutPiece = {}): SplitObstacle | undefined {
    const c = this.#c;
    if (!c.skipDeclaration()) return this.#obstacle("has brackets that do not match");
    if (c.at === from || !isSeparator(c)) return this.#obstacle("cannot be parsed");
    this.#addPiece(from, c.at, about);
    return undefined;
  }

  #addPiece(from: number, to: number, { part, labelToken, name }: AboutPiece = {}): void {
    const { tokens } = this.#c;
    const [first, last] = [tokens[from], tokens[to - 1]];
    if (first === undefined || last === undefined) return;
    const text = this.source.slice(first.at, last.at + last.text.length);
    this.pieces.push({ from, to, text, at: first.at, part, labelToken, name });
  }

  #obstacle = (message: string): SplitObstacle => ({ message, at: this.#c.peek().at });
}

/** True at the end of a declaration. */
const isSeparator = (c: CueTokenCursor): boolean =>
  c.isMark(",") || c.isMark("}") || c.peek().kind === "newline" || c.peek().kind === "end";
