import type { UntrustedUse } from "./command-text.ts";

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

/** All words of a pipeline, also those of groups and inputs. */
export const wordsOf = (pipeline: ShellPipeline): ShellWord[] =>
  pipeline.flatMap(({ words, body, inputs }) => [...words, ...inputs, ...body.flatMap(wordsOf)]);
