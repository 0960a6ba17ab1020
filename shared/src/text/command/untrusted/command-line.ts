import { fail, ok, type Result } from "../../../model/result.ts";
import type { LineUnit, UntrustedUse } from "./command-text.ts";

/** Part of a word after quotes are removed. `unknown`: a value that is known only when the line runs. */
type WordPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "unknown" }
  | { readonly kind: "untrusted"; readonly use: UntrustedUse };

export type CommandWord = readonly WordPart[];

/** Words of the commands of a pipeline, without redirections. */
export type Pipeline = readonly (readonly CommandWord[])[];

/** Place where a text from outside is not treated as text, and what is allowed instead; both continue a sentence. */
export type LineProblem = { readonly place: string; readonly allowed: string };

const onePipeline = "such a line must be one pipeline";
const withSyntax = (what: string): LineProblem => ({ place: `in a line with ${what}`, allowed: onePipeline });

/** Constant text of a word; undefined when a part of it is known only when the line runs. */
export function constantText(word: CommandWord | undefined): string | undefined {
  if (word?.every((part) => part.kind === "text") !== true) return undefined;
  return word.map((part) => (part.kind === "text" ? part.text : "")).join("");
}

/** Constant text before the first other part of a word. */
export function leadingText(word: CommandWord): string {
  const end = word.findIndex(({ kind }) => kind !== "text");
  return constantText(end < 0 ? word : word.slice(0, end)) ?? "";
}

/** Word of a line that no shell reads. */
export const plainWord = (units: readonly LineUnit[]): CommandWord => units.map(partOf);

/**
 * Reads a shell line. Fails for every syntax beyond a pipeline, quotes, simple variables and the redirections `2>&1` and
 * to `/dev/null`.
 */
export const readPipeline = (units: readonly LineUnit[]): Result<Pipeline, LineProblem> =>
  new PipelineReader(units).read();

/** Characters that end a word of a shell line outside quotes, beside blanks. */
const operators = /^[|&;()<>\n\r`]$/;
const blank = /^[ \t]$/;

class PipelineReader {
  readonly #units: readonly LineUnit[];
  #at = 0;
  #problem: LineProblem | undefined;

  constructor(units: readonly LineUnit[]) {
    this.#units = units;
  }

  read(): Result<Pipeline, LineProblem> {
    const commands: CommandWord[][] = [[]];
    while (this.#at < this.#units.length && this.#problem === undefined) {
      const char = this.#char();
      if (char !== undefined && blank.test(char)) this.#at += 1;
      else if (char === "#") this.#problem = withSyntax("a comment");
      else if (this.#take(/^[012]?>/)) this.#redirection();
      else if (this.#take(/^\|(?![|&])/)) commands.push([]);
      else if (char !== undefined && operators.test(char)) this.#problem = this.#operator();
      else commands.at(-1)?.push(this.#word());
    }
    return this.#problem === undefined ? ok(commands) : fail(this.#problem);
  }

  #char(): string | undefined {
    const unit = this.#units[this.#at];
    return unit?.kind === "char" ? unit.char : undefined;
  }

  /** Characters from the position up to the next macro value, at most 200. */
  #ahead(): string {
    let text = "";
    for (const unit of this.#units.slice(this.#at, this.#at + 200)) {
      if (unit.kind === "value") break;
      text += unit.char;
    }
    return text;
  }

  /** Consumes what a pattern matches at the position. */
  #take(pattern: RegExp): boolean {
    const found = pattern.exec(this.#ahead());
    if (found === null) return false;
    this.#at += [...found[0]].length;
    return true;
  }

  #operator(): LineProblem {
    const [operator = ""] = /^(?:\|\||&&|\|&|<<|.|\s)/.exec(this.#ahead()) ?? [];
    return withSyntax(/\s/.test(operator) ? "a line break" : `"${operator}"`);
  }

  #redirection(): void {
    const isAllowed = this.#take(/^(?:&1|>?[ \t]*\/dev\/null)(?=[ \t|]|$)/);
    if (!isAllowed)
      this.#problem = {
        place: "in a line with a redirection",
        allowed: "such a line may redirect only by 2>&1 and to /dev/null",
      };
  }

  #word(): CommandWord {
    const parts: WordPart[] = [];
    const addText = (text: string): unknown => parts.push({ kind: "text", text });
    let quote: string | undefined;
    for (; this.#at < this.#units.length && this.#problem === undefined; this.#at += 1) {
      const unit = this.#units[this.#at];
      if (unit?.kind === "value") {
        parts.push(partOf(unit));
        continue;
      }
      const char = unit?.char ?? "";
      if (quote === undefined && (blank.test(char) || operators.test(char))) break;
      if (quote === undefined && (char === "'" || char === '"')) quote = char;
      else if (char === quote) quote = undefined;
      else if (char === "\\" && quote !== "'") addText(this.#escaped(quote));
      else if (quote !== "'" && (char === "$" || char === "`")) this.#expansion(char, quote, parts);
      else addText(char);
    }
    return parts;
  }

  /** Reads the character after a backslash. */
  #escaped(quote: string | undefined): string {
    const next = this.#units[this.#at + 1];
    if (next?.kind !== "char") return "\\";
    this.#at += 1;
    if (next.char === "\n") return "";
    return quote === '"' && !/["\\$`]/.test(next.char) ? `\\${next.char}` : next.char;
  }

  /** Reads a variable, of which only the simple forms are allowed, or a dollar sign that is ordinary text. */
  #expansion(char: string, quote: string | undefined, parts: WordPart[]): void {
    const [variable] =
      /^\$(?:[A-Za-z_][A-Za-z0-9_]*|\{[A-Za-z_][A-Za-z0-9_]*\}|[0-9@*#?$!-])/.exec(this.#ahead()) ?? [];
    if (variable !== undefined) {
      parts.push({ kind: "unknown" });
      this.#at += variable.length - 1;
    } else if (char === "`" || /^\$[({[]/.test(this.#ahead())) this.#problem = withSyntax("a substitution");
    else if (quote === undefined && /^\$['"]/.test(this.#ahead())) this.#problem = withSyntax(`"$" before a quote`);
    else parts.push({ kind: "text", text: "$" });
  }
}

function partOf(unit: LineUnit): WordPart {
  if (unit.kind === "char") return { kind: "text", text: unit.char };
  const { text, use } = unit;
  if (use !== undefined) return { kind: "untrusted", use };
  return text === undefined ? { kind: "unknown" } : { kind: "text", text };
}
