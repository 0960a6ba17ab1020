import type { CommandTemplate } from "../../../config/plan.ts";
import { splitWords } from "../shell-words.ts";
import { hasUntrustedMacro, type LineContext, type UntrustedUse, unitsOf } from "./command-text.ts";
import { interpretersIn } from "./interpreters.ts";
import { parseShellScript } from "./shell-script.ts";
import {
  type ShellPipeline,
  type ShellScript,
  type ShellStage,
  type ShellWord,
  unknownPart,
  wordsOf,
} from "./shell-syntax.ts";

/** Untrusted value that could become code. `place` continues "in": `an argument of sh -c`. */
export type NestedCode = UntrustedUse & { readonly place: string };

/**
 * Finds untrusted macros in a command line where another interpreter could read their values as code. Each macro of the
 * line and of each argument is reported once. A line that cannot be split into words gives none.
 */
export function findNestedCode({ line, shell }: CommandTemplate, context: LineContext): readonly NestedCode[] {
  if (![line, ...(context.args ?? [])].some(hasUntrustedMacro)) return [];
  const search = new NestedCodeSearch();
  if (shell) search.readScript(parseShellScript(unitsOf(line, context)));
  else {
    const words = splitWords(line);
    if (words.ok) search.readCommand(words.value.map((word) => wordOf(word, context)));
  }
  return [...search.found.values()];
}

/** Word of a line without a shell: its text is not parsed any further. */
function wordOf(word: string, context: LineContext): ShellWord {
  let text = "";
  const uses: UntrustedUse[] = [];
  for (const unit of unitsOf(word, context)) {
    text += unit.kind === "char" ? unit.char : (unit.text ?? unknownPart);
    if (unit.kind === "value" && unit.use !== undefined) uses.push(unit.use);
  }
  return { text, uses, variables: [], outputs: [], readers: [] };
}

const assignment = /^([A-Za-z_][A-Za-z0-9_]*)\+?=/;
const declarations: ReadonlySet<string> = new Set(["export", "local", "readonly", "declare", "typeset"]);
const isRead = /^(?:read|mapfile|readarray)$/;

class NestedCodeSearch {
  readonly found = new Map<string, NestedCode>();
  /** Untrusted values that variables of the line hold. */
  readonly #variables = new Map<string, readonly UntrustedUse[]>();
  #functions: ReadonlySet<string> = new Set();

  readScript({ pipelines, inHereDocuments, inArithmetic, functions }: ShellScript): void {
    this.#report(inHereDocuments, "a here-document");
    this.#report(inArithmetic, "arithmetic");
    this.#functions = new Set(functions);
    // The second time, variables and function arguments are known that are set after their use.
    for (const pipeline of [...pipelines, ...pipelines]) this.#readPipeline(pipeline, []);
  }

  readCommand(words: readonly ShellWord[]): void {
    const [program] = words;
    if (program === undefined) return;
    this.#report(this.#usesOf(program), "the name of the program");
    for (const { name, untrusted } of interpretersIn(words, (word) => this.#usesOf(word).length > 0))
      for (const word of untrusted) this.#report(this.#usesOf(word), `an argument of ${name}`);
  }

  #report(uses: readonly UntrustedUse[], place: string): void {
    for (const use of uses) {
      const key = `${use.argument ?? ""} ${use.macro}`;
      if (!this.found.has(key)) this.found.set(key, { ...use, place });
    }
  }

  #usesOf({ uses, variables }: ShellWord): readonly UntrustedUse[] {
    return variables.length === 0
      ? uses
      : [...uses, ...variables.flatMap((variable) => this.#variables.get(variable) ?? [])];
  }

  /** Reads a pipeline whose first command reads `input`. */
  #readPipeline(pipeline: ShellPipeline, input: readonly UntrustedUse[]): void {
    let piped = [...input];
    for (const stage of pipeline) {
      this.#readStage(stage, piped);
      piped = [...piped, ...wordsOf([stage]).flatMap((word) => this.#usesOf(word))];
    }
  }

  #readStage(stage: ShellStage, piped: readonly UntrustedUse[]): void {
    const input = [...piped, ...stage.inputs.flatMap((word) => this.#usesOf(word))];
    const prefix = stage.words.findIndex(({ text }) => !assignment.test(text));
    const words = prefix < 0 ? [] : stage.words.slice(prefix);
    for (const word of [...stage.words, ...stage.inputs]) {
      for (const nested of word.outputs) this.#readPipeline(nested, input);
    }
    const written = [...input, ...stage.words.flatMap((word) => this.#usesOf(word))];
    for (const word of stage.words) for (const nested of word.readers) this.#readPipeline(nested, written);
    this.readCommand(words);
    for (const { name, readsInput } of interpretersIn(words, () => false))
      if (readsInput) this.#report(input, `the input of ${name}`);
    this.#assign(stage.words, input);
    for (const nested of stage.body) this.#readPipeline(nested, input);
  }

  /** Remembers the variables that a command sets to untrusted values. */
  #assign(words: readonly ShellWord[], input: readonly UntrustedUse[]): void {
    const [first, ...rest] = words;
    if (first === undefined) return;
    const assigned = declarations.has(first.text) ? rest : words;
    for (const word of assigned) {
      const name = assignment.exec(word.text)?.[1];
      if (name === undefined) break;
      this.#variables.set(name, [...new Set(this.#usesOf(word))]);
    }
    if (first.text === "set" || this.#functions.has(first.text)) {
      const passed = rest.flatMap((word) => this.#usesOf(word));
      this.#variables.set("@", [...(this.#variables.get("@") ?? []), ...passed]);
    }
    if (isRead.test(first.text)) for (const { text } of rest) this.#variables.set(text, input);
  }
}
