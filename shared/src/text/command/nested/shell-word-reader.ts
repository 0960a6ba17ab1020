import type { LineUnit, UntrustedUse } from "./command-text.ts";
import type { ShellCursor } from "./shell-cursor.ts";
import { type ShellPipeline, unknownPart, wordsOf } from "./shell-syntax.ts";

/** Word while it is read. `quoted`: a part of it was in quotes or escaped. */
export type OpenShellWord = {
  text: string;
  quoted: boolean;
  readonly uses: UntrustedUse[];
  readonly variables: string[];
  readonly outputs: ShellPipeline[];
  readonly readers: ShellPipeline[];
};

/** Parsers of the commands within words. */
type ShellSubstitutions = {
  /** Parses commands at the cursor up to `)`, which it consumes. */
  parentheses(): readonly ShellPipeline[];
  backquotes(units: readonly LineUnit[]): readonly ShellPipeline[];
};

/** Characters that end a word outside quotes. */
const wordEnd = /^[ \t\r\n|&;()<>]$/;

export const emptyShellWord = (): OpenShellWord => ({
  text: "",
  quoted: false,
  uses: [],
  variables: [],
  outputs: [],
  readers: [],
});

/** Reads words of a shell line, with their quotes, expansions and substitutions. */
export class ShellWordReader {
  /** Untrusted values in the arithmetic that was read. */
  readonly inArithmetic: UntrustedUse[] = [];
  readonly #cursor: ShellCursor;
  readonly #substitutions: ShellSubstitutions;

  constructor(cursor: ShellCursor, substitutions: ShellSubstitutions) {
    this.#cursor = cursor;
    this.#substitutions = substitutions;
  }

  read(): OpenShellWord {
    const cursor = this.#cursor;
    const word = emptyShellWord();
    while (!cursor.isAtEnd) {
      const { unit } = cursor;
      if (unit?.kind === "value") this.#addValue(word, unit);
      else if (cursor.take("<(")) this.#addSubstitution(word, word.outputs, this.#substitutions.parentheses());
      else if (cursor.take(">(")) this.#addSubstitution(word, word.readers, this.#substitutions.parentheses());
      else if (wordEnd.test(unit?.char ?? "")) break;
      else this.#piece(word, "code");
    }
    return word;
  }

  /** Reads arithmetic up to the `))` that closes it. */
  readArithmetic(): void {
    const cursor = this.#cursor;
    for (let depth = 2; depth > 0 && !cursor.isAtEnd; cursor.skip()) {
      const { unit } = cursor;
      if (unit?.kind === "value") {
        if (unit.use !== undefined) this.inArithmetic.push(unit.use);
      } else if (unit?.char === "(") depth += 1;
      else if (unit?.char === ")") depth -= 1;
    }
  }

  #addValue(word: OpenShellWord, unit: Extract<LineUnit, { kind: "value" }>): void {
    word.text += unit.text ?? unknownPart;
    if (unit.use !== undefined) word.uses.push(unit.use);
    this.#cursor.skip();
  }

  #piece(word: OpenShellWord, context: "code" | "double"): void {
    const char = this.#cursor.char() ?? "";
    this.#cursor.skip();
    if (char === "\\") this.#escaped(word, context);
    else if (char === "`") this.#backquotes(word);
    else if (char === "$") this.#expansion(word);
    else if (context === "double") word.text += char;
    else if (char === "'") this.#quoted(word, "'");
    else if (char === '"') this.#quoted(word, '"');
    else word.text += char;
  }

  #escaped(word: OpenShellWord, context: "code" | "double"): void {
    const next = this.#cursor.char();
    if (next === undefined) return;
    this.#cursor.skip();
    word.quoted = true;
    if (next !== "\n") word.text += context === "double" && !/["\\$`]/.test(next) ? `\\${next}` : next;
  }

  #quoted(word: OpenShellWord, quote: "'" | '"'): void {
    const cursor = this.#cursor;
    word.quoted = true;
    while (!cursor.isAtEnd && cursor.char() !== quote) {
      const { unit } = cursor;
      if (unit?.kind === "value") this.#addValue(word, unit);
      else if (quote === '"') this.#piece(word, "double");
      else {
        word.text += unit?.char ?? "";
        cursor.skip();
      }
    }
    cursor.skip();
  }

  #expansion(word: OpenShellWord): void {
    const cursor = this.#cursor;
    if (cursor.take("((")) {
      word.text += unknownPart;
      return this.readArithmetic();
    }
    if (cursor.take("(")) return this.#addSubstitution(word, word.outputs, this.#substitutions.parentheses());
    const braced = cursor.take("{");
    if (braced) while (/^[#!]$/.test(cursor.char() ?? "")) cursor.skip();
    const name = this.#variableName(braced);
    if (name === "" && !braced) {
      // `$'…'` and `$"…"` are quotes in some shells; any other single dollar sign is text.
      if (!/^['"]$/.test(cursor.char() ?? "")) word.text += "$";
      return;
    }
    word.text += unknownPart;
    word.variables.push(/^[0-9@*]/.test(name) ? "@" : name);
    for (let depth = braced ? 1 : 0; depth > 0 && !cursor.isAtEnd; ) {
      const { unit } = cursor;
      if (unit?.kind === "value") this.#addValue(word, unit);
      else if (cursor.take("{")) depth += 1;
      else if (cursor.take("}")) depth -= 1;
      else this.#piece(word, "code");
    }
  }

  /** Reads the name of a variable; without braces a positional parameter has one character. */
  #variableName(braced: boolean): string {
    let name = "";
    while (/^[A-Za-z0-9_@*]$/.test(this.#cursor.char() ?? "")) {
      name += this.#cursor.char();
      this.#cursor.skip();
      if (!braced && /^[0-9@*]$/.test(name)) break;
    }
    return name;
  }

  /** Reads a command between backquotes, in which a backslash escapes a backquote. */
  #backquotes(word: OpenShellWord): void {
    const cursor = this.#cursor;
    const inner: LineUnit[] = [];
    while (!cursor.isAtEnd && cursor.char() !== "`") {
      if (cursor.char() === "\\" && /^[`\\$]$/.test(cursor.char(1) ?? "")) cursor.skip();
      const { unit } = cursor;
      if (unit !== undefined) inner.push(unit);
      cursor.skip();
    }
    cursor.skip();
    this.#addSubstitution(word, word.outputs, this.#substitutions.backquotes(inner));
  }

  #addSubstitution(word: OpenShellWord, list: ShellPipeline[], pipelines: readonly ShellPipeline[]): void {
    word.text += unknownPart;
    list.push(...pipelines);
    for (const { uses, variables } of pipelines.flatMap(wordsOf)) {
      word.uses.push(...uses);
      word.variables.push(...variables);
    }
  }
}
