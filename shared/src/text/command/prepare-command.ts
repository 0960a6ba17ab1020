import { ok, type Result } from "../../model/result.ts";
import { expandMacros, type MacroPiece, macroNamesIn, splitAtMacros } from "./macro.ts";
import {
  environmentName,
  type MacroLookup,
  maxArgumentBytes,
  maxValueInEnvironment,
  truncateBytes,
} from "./macro-value.ts";
import { ShellQuoting } from "./shell-quoting.ts";
import { splitWords } from "./shell-words.ts";

/** Command line as declared: with macros, run by a shell or by itself. */
export type CommandTemplate = { readonly line: string; readonly shell: boolean };

/** Highest number of `$ARGn$`. */
const maxArguments = 32;

type PreparedCommand = {
  readonly argv: readonly [string, ...string[]];
  /** `NAGIOS_ARGn` variables and those that `argv` refers to, in addition to the variables of the macros. */
  readonly env: Readonly<Record<string, string>>;
};

/**
 * Prepares a command template for execution. `args` are the values of `$ARGn$`; their macros are expanded once.
 *
 * Without a shell, the line is split into words before macros are expanded, so that a value cannot add words. With a
 * shell, only the text of the template and of the arguments is code: each value is passed in an environment variable
 * that the line refers to, so that the shell never parses a value.
 */
export function prepareCommand(
  { line, shell }: CommandTemplate,
  args: readonly string[],
  lookup: MacroLookup,
): Result<PreparedCommand, string> {
  const env = argumentVariables(args, lookup);
  if (shell) return ok(prepareShellLine(line, args, { lookup, env }));
  const words = splitWords(line);
  if (!words.ok) return words;
  const withArgs: MacroLookup = (name) => {
    const text = argumentText(name, args);
    return text === undefined ? lookup(name) : expandMacros(text, lookup);
  };
  const [file = "", ...rest] = words.value.map((word) => truncateBytes(expandMacros(word, withArgs), maxArgumentBytes));
  return ok({ argv: [file, ...rest], env });
}

/** Value of `$ARGn$`, empty when there are fewer arguments; undefined for other macros. */
function argumentText(name: string, args: readonly string[]): string | undefined {
  const digits = /^ARG([0-9]+)$/.exec(name)?.[1];
  return digits === undefined ? undefined : (args[Number(digits) - 1] ?? "");
}

/** `NAGIOS_ARGn` variables of the arguments, without those that contain `$USERn$`, which often are secrets. */
function argumentVariables(args: readonly string[], lookup: MacroLookup): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const [i, text] of args.slice(0, maxArguments).entries())
    if (!macroNamesIn(text).some((name) => name.startsWith("USER")))
      variables[environmentName(`ARG${i + 1}`)] = truncateBytes(expandMacros(text, lookup), maxValueInEnvironment);
  return variables;
}

function prepareShellLine(
  line: string,
  args: readonly string[],
  { lookup, env }: { readonly lookup: MacroLookup; readonly env: Record<string, string> },
): PreparedCommand {
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
