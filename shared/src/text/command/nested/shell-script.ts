import type { LineUnit, UntrustedUse } from "./command-text.ts";
import { ShellCursor } from "./shell-cursor.ts";
import type { ShellPipeline, ShellScript, ShellStage, ShellWord } from "./shell-syntax.ts";
import { emptyShellWord, type OpenShellWord, ShellWordReader } from "./shell-word-reader.ts";

/** Reserved words that begin a list of commands, with the words that end it. */
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

/** Parses a shell line far enough to know its commands, their words and pipes. Accepts every text. */
export const parseShellScript = (units: readonly LineUnit[]): ShellScript => new ShellParser(units).parse();

type OpenStage = { words: ShellWord[]; body: ShellPipeline[]; inputs: ShellWord[] };

const newStage = (): OpenStage => ({ words: [], body: [], inputs: [] });
const isEmpty = ({ words, body, inputs }: OpenStage): boolean => words.length + body.length + inputs.length === 0;

/** Commands of a list while they are read. */
class OpenList {
  readonly pipelines: ShellPipeline[] = [];
  stage = newStage();
  #pipeline: ShellStage[] = [];

  endStage(): void {
    if (!isEmpty(this.stage)) this.#pipeline.push(this.stage);
    this.stage = newStage();
  }

  endPipeline(): void {
    this.endStage();
    if (this.#pipeline.length > 0) this.pipelines.push(this.#pipeline);
    this.#pipeline = [];
  }
}

class ShellParser {
  readonly #cursor: ShellCursor;
  readonly #words: ShellWordReader;
  readonly #inHereDocuments: UntrustedUse[] = [];
  readonly #functions: string[] = [];
  /** Here-documents that begin after the next line break. */
  readonly #pending: { readonly end: string; readonly stripTabs: boolean }[] = [];

  constructor(units: readonly LineUnit[]) {
    this.#cursor = new ShellCursor(units);
    this.#words = new ShellWordReader(this.#cursor, {
      parentheses: () => this.#list(")"),
      backquotes: (inner) => this.#include(parseShellScript(inner)),
    });
  }

  parse(): ShellScript {
    const pipelines: ShellPipeline[] = [];
    // A closing word without its opening one ends a list; what follows is read too.
    while (!this.#cursor.isAtEnd) pipelines.push(...this.#list());
    const { inArithmetic } = this.#words;
    return { pipelines, inHereDocuments: this.#inHereDocuments, inArithmetic, functions: this.#functions };
  }

  #include({ pipelines, inHereDocuments, inArithmetic, functions }: ShellScript): readonly ShellPipeline[] {
    this.#inHereDocuments.push(...inHereDocuments);
    this.#words.inArithmetic.push(...inArithmetic);
    this.#functions.push(...functions);
    return pipelines;
  }

  /** Reads commands up to the closing word of the list, which it consumes, or to the end. */
  #list(close?: string): ShellPipeline[] {
    const list = new OpenList();
    while (!this.#cursor.isAtEnd) {
      if (this.#cursor.skipBlanks() || this.#operator(list)) continue;
      if (this.#cursor.take(")")) {
        list.endPipeline();
        if (close === ")") return list.pipelines;
      } else if (!this.#redirection(list.stage) && this.#command(list, close)) return list.pipelines;
    }
    list.endPipeline();
    return list.pipelines;
  }

  /** Reads an operator other than a redirection and a closing parenthesis. Returns false when there is none. */
  #operator(list: OpenList): boolean {
    const cursor = this.#cursor;
    if (cursor.take("\n")) {
      list.endPipeline();
      this.#readHereDocuments();
    } else if (cursor.take("&>") || cursor.take(">|")) this.#words.read();
    else if (["||", "&&", ";", "&"].some((operator) => cursor.take(operator))) list.endPipeline();
    else if (cursor.take("|")) {
      cursor.take("&");
      list.endStage();
    } else if (cursor.take("((")) this.#words.readArithmetic();
    else if (cursor.take("(")) this.#parenthesis(list);
    else return false;
    return true;
  }

  /** Reads the commands of a subshell, or notes the name of a function. */
  #parenthesis(list: OpenList): void {
    const [name] = list.stage.words;
    if (name === undefined) list.stage.body.push(...this.#list(")"));
    else if (this.#cursor.take(")")) {
      this.#functions.push(name.text);
      list.stage = newStage();
    }
  }

  /** Reads a word, and the list that it begins. Returns true for the word that closes the list. */
  #command(list: OpenList, close: string | undefined): boolean {
    const { stage } = list;
    const word = this.#words.read();
    const reserved = stage.words.length === 0 && !word.quoted ? word.text : "";
    const closing = openers.get(reserved);
    if (closing !== undefined && isEmpty(stage)) {
      stage.body.push(...this.#header(reserved), ...this.#list(closing));
    } else if (closers.has(reserved)) {
      list.endPipeline();
      return close === reserved;
    } else if (separators.has(reserved)) list.endPipeline();
    else stage.words.push(word);
    return false;
  }

  /** Reads what a loop goes through, as an assignment to its variable, and skips the word that `case` compares. */
  #header(opener: string): ShellPipeline[] {
    if (opener !== "for" && opener !== "select" && opener !== "case") return [];
    const cursor = this.#cursor;
    const words: OpenShellWord[] = [];
    while (!cursor.isAtEnd && !/^[;\n]$/.test(cursor.char() ?? "")) {
      if (cursor.skipBlanks()) continue;
      const word = this.#words.read();
      if (opener === "case" && word.text === "in") return [];
      // An operator here is an error of the line.
      if (word.text === "" && !word.quoted) cursor.skip();
      else words.push(word);
    }
    const [name, ...values] = words;
    if (name === undefined || opener === "case") return [];
    const assigned = { ...emptyShellWord(), text: `${name.text}=` };
    for (const { uses, variables, outputs } of values) {
      assigned.uses.push(...uses);
      assigned.variables.push(...variables);
      assigned.outputs.push(...outputs);
    }
    return [[{ words: [assigned], body: [], inputs: [] }]];
  }

  #redirection(stage: OpenStage): boolean {
    const cursor = this.#cursor;
    const moveBack = cursor.mark();
    while (/^[0-9]$/.test(cursor.char() ?? "")) cursor.skip();
    const kind = this.#redirectionKind();
    if (kind === undefined) {
      moveBack();
      return false;
    }
    const stripTabs = kind === "here-document" && cursor.take("-");
    while (cursor.char() === " " || cursor.char() === "\t") cursor.skip();
    const word = this.#words.read();
    if (kind === "here-document") this.#pending.push({ end: word.text, stripTabs });
    else if (kind === "input") stage.inputs.push(word);
    return true;
  }

  /** Consumes the operator of a redirection; undefined when there is none, as for `<(…)` and `>(…)`. */
  #redirectionKind(): "here-document" | "input" | "output" | undefined {
    const cursor = this.#cursor;
    if (cursor.startsWith("<(") || cursor.startsWith(">(")) return undefined;
    if (!cursor.startsWith("<<<") && cursor.take("<<")) return "here-document";
    if (["<<<", "<&", "<>", "<"].some((operator) => cursor.take(operator))) return "input";
    return [">>", ">&", ">|", ">"].some((operator) => cursor.take(operator)) ? "output" : undefined;
  }

  #readHereDocuments(): void {
    const cursor = this.#cursor;
    for (const { end, stripTabs } of this.#pending.splice(0)) {
      while (!cursor.isAtEnd) {
        let text = "";
        for (; !cursor.isAtEnd && cursor.char() !== "\n"; cursor.skip()) {
          const { unit } = cursor;
          if (unit?.kind === "char") text += unit.char;
          else if (unit?.use !== undefined) this.#inHereDocuments.push(unit.use);
        }
        cursor.skip();
        if ((stripTabs ? text.replace(/^\t+/, "") : text) === end) break;
      }
    }
  }
}
