import type { LineUnit, UntrustedUse } from "./command-text.ts";

/** Stands for a part of a word that is not known before the line runs. */
export const unknownPart = "\ufffc";

/** Word of a command after quotes are removed. */
export type ShellWord = {
  /** Text with `unknownPart` for expansions and for macros without a known value. */
  readonly text: string;
  /** Untrusted values in the word, also those inside its substitutions. */
  readonly uses: readonly UntrustedUse[];
  /** Names of the variables that the word expands; `@` stands for the positional parameters. */
  readonly variables: readonly string[];
  /** Commands of `$(…)`, backquotes and `<(…)`, whose output becomes part of the word. */
  readonly outputs: readonly ShellPipeline[];
  /** Commands of `>(…)`, which read what the command writes there. */
  readonly readers: readonly ShellPipeline[];
};

/** One command of a pipeline; `body` has the commands of a group, loop or condition. */
export type ShellStage = {
  readonly words: readonly ShellWord[];
  readonly body: readonly ShellPipeline[];
  /** Words that the command reads as its input: `<` and `<<<`. */
  readonly inputs: readonly ShellWord[];
};

export type ShellPipeline = readonly ShellStage[];

export type ShellScript = {
  readonly pipelines: readonly ShellPipeline[];
  /** Untrusted values in here-documents. */
  readonly inHereDocuments: readonly UntrustedUse[];
  /** Untrusted values in arithmetic, where some shells run the subscripts of array elements. */
  readonly inArithmetic: readonly UntrustedUse[];
  /** Names of the functions that the line defines. */
  readonly functions: readonly string[];
};

const openers: ReadonlyMap<string, string> = new Map([
  ["if", "fi"],
  ["while", "done"],
  ["until", "done"],
  ["for", "done"],
  ["select", "done"],
  ["case", "esac"],
  ["{", "}"],
]);
const closers: ReadonlySet<string> = new Set([...openers.values(), ")"]);
/** Reserved words that are followed by another command. */
const separators: ReadonlySet<string> = new Set(["then", "elif", "else", "do", "!", "function"]);
/** Characters that end a word outside quotes. */
const wordEnd = /^[ \t\r\n|&;()<>]$/;

/** Parses a shell line far enough to know its commands, their words and pipes. Accepts every text. */
export const parseShellScript = (units: readonly LineUnit[]): ShellScript => new ShellParser(units).parse();

type OpenWord = {
  text: string;
  quoted: boolean;
  readonly uses: UntrustedUse[];
  readonly variables: string[];
  readonly outputs: ShellPipeline[];
  readonly readers: ShellPipeline[];
};
type OpenStage = { words: ShellWord[]; body: ShellPipeline[]; inputs: ShellWord[] };

const newStage = (): OpenStage => ({ words: [], body: [], inputs: [] });
const newWord = (): OpenWord => ({ text: "", quoted: false, uses: [], variables: [], outputs: [], readers: [] });
const isEmpty = ({ words, body, inputs }: OpenStage): boolean => words.length + body.length + inputs.length === 0;

class ShellParser {
  readonly #units: readonly LineUnit[];
  readonly #hereDocuments: UntrustedUse[] = [];
  readonly #arithmetic: UntrustedUse[] = [];
  readonly #functions: string[] = [];
  readonly #pending: { readonly end: string; readonly stripTabs: boolean }[] = [];
  #at = 0;

  constructor(units: readonly LineUnit[]) {
    this.#units = units;
  }

  parse(): ShellScript {
    const pipelines: ShellPipeline[] = [];
    // A closing word without its opening one ends a list; what follows is read too.
    while (this.#at < this.#units.length) pipelines.push(...this.#list());
    const [inHereDocuments, inArithmetic] = [this.#hereDocuments, this.#arithmetic];
    return { pipelines, inHereDocuments, inArithmetic, functions: this.#functions };
  }

  /** Character at an offset; undefined at the end and for a macro value. */
  #char(offset = 0): string | undefined {
    const unit = this.#units[this.#at + offset];
    return unit?.kind === "char" ? unit.char : undefined;
  }

  #startsWith(text: string): boolean {
    return [...text].every((char, offset) => this.#char(offset) === char);
  }

  #take(text: string): boolean {
    if (!this.#startsWith(text)) return false;
    this.#at += text.length;
    return true;
  }

  /** Reads commands up to the closing word of the list, which it consumes, or to the end. */
  #list(close?: string): ShellPipeline[] {
    const pipelines: ShellPipeline[] = [];
    let pipeline: ShellStage[] = [];
    let stage = newStage();
    const endStage = (): void => {
      if (!isEmpty(stage)) pipeline.push(stage);
      stage = newStage();
    };
    const endPipeline = (): void => {
      endStage();
      if (pipeline.length > 0) pipelines.push(pipeline);
      pipeline = [];
    };
    while (this.#at < this.#units.length) {
      if (this.#skipBlanks()) continue;
      if (this.#take("\n")) {
        endPipeline();
        this.#readHereDocuments();
      } else if (this.#take("&>") || this.#take(">|")) this.#word();
      else if (this.#take("||") || this.#take("&&") || this.#take(";") || this.#take("&")) endPipeline();
      else if (this.#take("|")) {
        this.#take("&");
        endStage();
      } else if (this.#startsWith("((")) {
        this.#at += 2;
        this.#readArithmetic();
      } else if (this.#take("(")) {
        const [name] = stage.words;
        if (name === undefined) stage.body.push(...this.#list(")"));
        else if (this.#take(")")) {
          this.#functions.push(name.text);
          stage = newStage();
        }
      } else if (this.#take(")")) {
        endPipeline();
        if (close === ")") return pipelines;
      } else if (this.#redirection(stage)) continue;
      else {
        const word = this.#word();
        const reserved = stage.words.length === 0 && !word.quoted ? word.text : "";
        const closing = openers.get(reserved);
        if (closing !== undefined && isEmpty(stage)) {
          stage.body.push(...this.#header(reserved), ...this.#list(closing));
        } else if (closers.has(reserved)) {
          endPipeline();
          if (close === reserved) return pipelines;
        } else if (separators.has(reserved)) endPipeline();
        else stage.words.push(word);
      }
    }
    endPipeline();
    return pipelines;
  }

  /** Reads what a loop goes through, as an assignment to its variable, and skips the word that `case` compares. */
  #header(opener: string): ShellPipeline[] {
    if (opener !== "for" && opener !== "select" && opener !== "case") return [];
    const words: OpenWord[] = [];
    while (this.#at < this.#units.length && !/^[;\n]$/.test(this.#char() ?? "")) {
      if (this.#skipBlanks()) continue;
      const word = this.#word();
      if (opener === "case" && word.text === "in") return [];
      // An operator here is an error of the line.
      if (word.text === "" && !word.quoted) this.#at += 1;
      else words.push(word);
    }
    const [name, ...values] = words;
    if (name === undefined || opener === "case") return [];
    const assigned = { ...newWord(), text: `${name.text}=` };
    for (const { uses, variables, outputs } of values) {
      assigned.uses.push(...uses);
      assigned.variables.push(...variables);
      assigned.outputs.push(...outputs);
    }
    return [[{ words: [assigned], body: [], inputs: [] }]];
  }

  #skipBlanks(): boolean {
    const char = this.#char();
    if (char === " " || char === "\t" || char === "\r") return this.#take(char);
    if (this.#take("\\\n")) return true;
    if (char !== "#") return false;
    while (this.#at < this.#units.length && this.#char() !== "\n") this.#at += 1;
    return true;
  }

  #redirection(stage: OpenStage): boolean {
    const start = this.#at;
    while (/^[0-9]$/.test(this.#char() ?? "")) this.#at += 1;
    if (this.#startsWith("<(") || this.#startsWith(">(")) {
      this.#at = start;
      return false;
    }
    const hereDocument = !this.#startsWith("<<<") && this.#take("<<");
    const input = !hereDocument && (this.#take("<<<") || this.#take("<&") || this.#take("<>") || this.#take("<"));
    if (!hereDocument && !input && !this.#take(">>") && !this.#take(">&") && !this.#take(">|") && !this.#take(">")) {
      this.#at = start;
      return false;
    }
    const stripTabs = hereDocument && this.#take("-");
    while (this.#char() === " " || this.#char() === "\t") this.#at += 1;
    const word = this.#word();
    if (hereDocument) this.#pending.push({ end: word.text, stripTabs });
    else if (input) stage.inputs.push(word);
    return true;
  }

  #readHereDocuments(): void {
    for (const { end, stripTabs } of this.#pending.splice(0)) {
      while (this.#at < this.#units.length) {
        let text = "";
        for (; this.#at < this.#units.length && this.#char() !== "\n"; this.#at += 1) {
          const unit = this.#units[this.#at];
          if (unit?.kind === "char") text += unit.char;
          else if (unit?.use !== undefined) this.#hereDocuments.push(unit.use);
        }
        this.#at += 1;
        if ((stripTabs ? text.replace(/^\t+/, "") : text) === end) break;
      }
    }
  }

  /** Reads arithmetic up to the `))` that closes it. */
  #readArithmetic(): void {
    for (let depth = 2; depth > 0 && this.#at < this.#units.length; this.#at += 1) {
      const unit = this.#units[this.#at];
      if (unit?.kind === "value") {
        if (unit.use !== undefined) this.#arithmetic.push(unit.use);
      } else if (unit?.char === "(") depth += 1;
      else if (unit?.char === ")") depth -= 1;
    }
  }

  #word(): OpenWord {
    const word = newWord();
    while (this.#at < this.#units.length) {
      const unit = this.#units[this.#at];
      if (unit?.kind === "value") this.#addValue(word, unit);
      else if (this.#startsWith("<(") || this.#startsWith(">(")) {
        const list = this.#take("<(") ? word.outputs : word.readers;
        if (list === word.readers) this.#at += 2;
        this.#addSubstitution(word, list, this.#list(")"));
      } else if (wordEnd.test(unit?.char ?? "")) break;
      else this.#piece(word, "code");
    }
    return word;
  }

  #addValue(word: OpenWord, unit: Extract<LineUnit, { kind: "value" }>): void {
    word.text += unit.text ?? unknownPart;
    if (unit.use !== undefined) word.uses.push(unit.use);
    this.#at += 1;
  }

  #piece(word: OpenWord, context: "code" | "double"): void {
    const char = this.#char() ?? "";
    this.#at += 1;
    if (char === "\\") {
      const next = this.#char();
      if (next === undefined) return;
      this.#at += 1;
      word.quoted = true;
      if (next !== "\n") word.text += context === "double" && !/["\\$`]/.test(next) ? `\\${next}` : next;
    } else if (char === "`") this.#backquotes(word);
    else if (char === "$") this.#expansion(word);
    else if (context === "double") word.text += char;
    else if (char === "'") this.#quoted(word, "'");
    else if (char === '"') this.#quoted(word, '"');
    else word.text += char;
  }

  #quoted(word: OpenWord, quote: "'" | '"'): void {
    word.quoted = true;
    while (this.#at < this.#units.length && this.#char() !== quote) {
      const unit = this.#units[this.#at];
      if (unit?.kind === "value") this.#addValue(word, unit);
      else if (quote === '"') this.#piece(word, "double");
      else {
        word.text += unit?.char ?? "";
        this.#at += 1;
      }
    }
    this.#at += 1;
  }

  #expansion(word: OpenWord): void {
    if (this.#take("((")) {
      word.text += unknownPart;
      return this.#readArithmetic();
    }
    if (this.#take("(")) return this.#addSubstitution(word, word.outputs, this.#list(")"));
    const braced = this.#take("{");
    if (braced) while (/^[#!]$/.test(this.#char() ?? "")) this.#at += 1;
    let name = "";
    while (/^[A-Za-z0-9_@*]$/.test(this.#char() ?? "")) {
      name += this.#char();
      this.#at += 1;
      if (!braced && /^[0-9@*]$/.test(name)) break;
    }
    if (name === "" && !braced) {
      // `$'…'` and `$"…"` are quotes in some shells; any other single dollar sign is text.
      if (!/^['"]$/.test(this.#char() ?? "")) word.text += "$";
      return;
    }
    word.text += unknownPart;
    word.variables.push(/^[0-9@*]/.test(name) ? "@" : name);
    for (let depth = braced ? 1 : 0; depth > 0 && this.#at < this.#units.length; ) {
      const unit = this.#units[this.#at];
      if (unit?.kind === "value") this.#addValue(word, unit);
      else if (this.#take("{")) depth += 1;
      else if (this.#take("}")) depth -= 1;
      else this.#piece(word, "code");
    }
  }

  /** Reads a command between backquotes, in which a backslash escapes a backquote. */
  #backquotes(word: OpenWord): void {
    const inner: LineUnit[] = [];
    while (this.#at < this.#units.length && this.#char() !== "`") {
      if (this.#char() === "\\" && /^[`\\$]$/.test(this.#char(1) ?? "")) this.#at += 1;
      const unit = this.#units[this.#at];
      if (unit !== undefined) inner.push(unit);
      this.#at += 1;
    }
    this.#at += 1;
    const script = parseShellScript(inner);
    this.#hereDocuments.push(...script.inHereDocuments);
    this.#arithmetic.push(...script.inArithmetic);
    this.#functions.push(...script.functions);
    this.#addSubstitution(word, word.outputs, script.pipelines);
  }

  #addSubstitution(word: OpenWord, list: ShellPipeline[], pipelines: readonly ShellPipeline[]): void {
    word.text += unknownPart;
    list.push(...pipelines);
    for (const { uses, variables } of pipelines.flatMap(wordsOf)) {
      word.uses.push(...uses);
      word.variables.push(...variables);
    }
  }
}

/** All words of a pipeline, also those of groups and inputs. */
export const wordsOf = (pipeline: ShellPipeline): ShellWord[] =>
  pipeline.flatMap(({ words, body, inputs }) => [...words, ...inputs, ...body.flatMap(wordsOf)]);
