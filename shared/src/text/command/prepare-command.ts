import type { CommandTemplate } from "../../config/plan.ts";
import { ok, type Result } from "../../model/result.ts";
import { expandMacros, type MacroPiece, splitAtMacros } from "./macro.ts";
import { environmentName, type MacroLookup, maxArgumentBytes, truncateBytes } from "./macro-value.ts";
import { ShellQuoting } from "./shell-quoting.ts";
import { splitWords } from "./shell-words.ts";

export type PreparedCommand = {
  readonly argv: readonly [string, ...string[]];
  /** What `argv` refers to, beside the macros' own variables. */
  readonly env: Readonly<Record<string, string>>;
};

/**
 * A command template as a program to run. `args` are the texts behind `$ARGn$`; their macros are expanded once.
 *
 * Without a shell the line is split before macros are expanded, so that a value stays within its word. With one,
 * only the template's and the arguments' own text reaches the shell as code: each value becomes a variable that the
 * line refers to, so that nothing in a value is ever parsed.
 */
export function prepareCommand(
  { line, shell }: CommandTemplate,
  args: readonly string[],
  lookup: MacroLookup,
): Result<PreparedCommand, string> {
  if (shell) return ok(prepareShellLine(line, args, lookup));
  const words = splitWords(line);
  if (!words.ok) return words;
  const withArgs: MacroLookup = (name) => {
    const text = argumentText(name, args);
    return text === undefined ? lookup(name) : expandMacros(text, lookup);
  };
  const [file = "", ...rest] = words.value.map((word) => truncateBytes(expandMacros(word, withArgs), maxArgumentBytes));
  return ok({ argv: [file, ...rest], env: {} });
}

/** The text behind `$ARGn$`, empty where fewer were given; `undefined` for other macros. */
function argumentText(name: string, args: readonly string[]): string | undefined {
  const digits = /^ARG([0-9]+)$/.exec(name)?.[1];
  return digits === undefined ? undefined : (args[Number(digits) - 1] ?? "");
}

function prepareShellLine(line: string, args: readonly string[], lookup: MacroLookup): PreparedCommand {
  const env: Record<string, string> = {};
  const quoting = new ShellQuoting();
  let code = "";
  const add = (text: string): void => {
    quoting.read(text);
    code += text;
  };
  const addPiece = (piece: MacroPiece): void => {
    const value = piece.kind === "macro" ? lookup(piece.name) : undefined;
    if (piece.kind === "text") add(piece.text);
    else if (value === undefined) add(piece.written);
    else {
      const name = environmentName(piece.name);
      env[name] = value;
      code += quoting.reference(name);
    }
  };
  for (const piece of splitAtMacros(line)) {
    const text = piece.kind === "macro" ? argumentText(piece.name, args) : undefined;
    if (text === undefined) addPiece(piece);
    else splitAtMacros(text).forEach(addPiece);
  }
  return { argv: ["/bin/sh", "-c", code], env };
}
