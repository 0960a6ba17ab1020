import { isKnownMacro, macroNames, macroNamesIn } from "../../text/command/macro.ts";
import { splitWords } from "../../text/command/shell-words.ts";
import type { DocumentPath } from "../../text/document-path.ts";
import type { CommandTemplate } from "../plan.ts";
import { type CompileContext, nearestHint, reportProblem } from "./compile-context.ts";

/** Compiles the command templates. Reports lines that cannot be split into words and macros without a value. */
export function compileCommands(c: CompileContext): Readonly<Record<string, CommandTemplate>> {
  for (const [name, { line, shell }] of c.document.commands) {
    const path = ["commands", name, "line"];
    validateMacros(line, path, c);
    const words = shell || line === "" ? undefined : splitWords(line);
    if (words?.ok === false) reportProblem(c, path, `cannot be split into words: it ${words.error}`);
  }
  return Object.fromEntries(c.document.commands);
}

/** Reports unknown macros in the arguments of a check, contact or handler of type `command`. */
export function validateArguments(args: readonly string[], path: DocumentPath, c: CompileContext): void {
  args.forEach((argument, i) => {
    validateMacros(argument, [...path, i], c);
  });
}

function validateMacros(text: string, path: DocumentPath, c: CompileContext): void {
  for (const name of macroNamesIn(text)) {
    if (!isKnownMacro(name))
      reportProblem(c, path, `names the unknown macro $${name}$${nearestHint(name, macroNames)}`);
    else if (/^USER\d+$/.test(name) && !Object.hasOwn(c.document.resources, name))
      reportProblem(c, path, `names the macro $${name}$, which resources do not declare`);
  }
}
