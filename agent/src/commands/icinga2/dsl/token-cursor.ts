import { maxNesting } from "../../import/import-limits.ts";
import type { SourceLine } from "../../import/import-report.ts";
import { IcingaSourceError } from "./syntax.ts";
import { type IcingaToken, tokenizeIcinga } from "./tokens.ts";

const tokenNames: Readonly<Record<Exclude<IcingaToken["kind"], "symbol">, string>> = {
  identifier: "a name",
  string: "a text",
  number: "a number",
  lazy: "a function",
  system: "the name of a file",
  newline: "the end of the line",
  end: "the end of the file",
};

/** Position among the tokens of a file. */
export class TokenCursor {
  readonly #file: string;
  readonly #tokens: readonly IcingaToken[];
  #depth = 0;
  /** Index of the next token. */
  at = 0;

  /** Reads the tokens of a text. Throws IcingaSourceError. */
  constructor(file: string, text: string) {
    this.#file = file;
    this.#tokens = tokenizeIcinga(file, text);
  }

  /** Parses what is one level deeper. Throws IcingaSourceError beyond the maximum depth. */
  nested<T>(parse: () => T): T {
    if (this.#depth === maxNesting)
      throw new IcingaSourceError(this.source(), `nested more than ${maxNesting} levels deep`);
    this.#depth += 1;
    try {
      return parse();
    } finally {
      this.#depth -= 1;
    }
  }

  /** Skips a bracket with all that it encloses. Throws IcingaSourceError when it is not closed. */
  skipBrackets(): void {
    const begin = this.source();
    let depth = 0;
    do {
      const { kind, text } = this.peek();
      if (kind === "end") throw new IcingaSourceError(begin, "the bracket is not closed");
      if (kind === "symbol" && ["(", "{", "["].includes(text)) depth += 1;
      if (kind === "symbol" && [")", "}", "]"].includes(text)) depth -= 1;
      this.at += 1;
    } while (depth > 0);
  }

  skipNewlines(): void {
    while (this.peek().kind === "newline") this.at += 1;
  }

  /** Token at the position, or `offset` tokens after it; beyond the last one the end of the file. */
  peek(offset = 0): IcingaToken {
    return this.#tokens[Math.min(this.at + offset, this.#tokens.length - 1)] as IcingaToken;
  }

  /** Place of the token at the position. */
  source(): SourceLine {
    return { file: this.#file, line: this.peek().line };
  }

  isSymbol(text: string): boolean {
    const token = this.peek();
    return token.kind === "symbol" && token.text === text;
  }

  isWord(text: string): boolean {
    const token = this.peek();
    return token.kind === "identifier" && token.text === text;
  }

  /** Reads a name. Throws IcingaSourceError when the token is not a name. */
  identifier(): string {
    const token = this.peek();
    if (token.kind !== "identifier") throw this.unexpected("a name");
    this.at += 1;
    return token.text;
  }

  /** Reads a symbol. Throws IcingaSourceError when the token is another one. */
  expect(text: string): void {
    if (!this.isSymbol(text)) throw this.unexpected(JSON.stringify(text));
    this.at += 1;
  }

  expectWord(text: string): void {
    if (!this.isWord(text)) throw this.unexpected(JSON.stringify(text));
    this.at += 1;
  }

  /**
   * Error about the token at the position. Of texts, names and numbers it gives the kind only: a file that is included by
   * mistake may have secrets.
   */
  unexpected(expected: string): IcingaSourceError {
    const { kind, text } = this.peek();
    const found = kind === "symbol" ? JSON.stringify(text) : tokenNames[kind];
    return new IcingaSourceError(this.source(), `expected ${expected}, found ${found}`);
  }
}
