import { isKnownMacro, macroNames, macroNamesIn } from "../../text/command/macro.ts";
import { environmentName } from "../../text/command/macro-value.ts";
import { hasUntrustedMacro } from "../../text/command/nested/command-text.ts";
import { findNestedCode, type NestedCode } from "../../text/command/nested/nested-code.ts";
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
    const { resources } = c.document;
    for (const use of findNestedCode({ line, shell }, { args: undefined, resources })) reportNested(c, path, use);
  }
  return Object.fromEntries(c.document.commands);
}

/**
 * Reports unknown macros in the arguments of a check, contact or handler of type `command`, and arguments whose values
 * the command line would pass to another interpreter as code. `path`: that of the arguments.
 */
export function validateArguments(
  { command, args }: { readonly command: string; readonly args: readonly string[] },
  path: DocumentPath,
  c: CompileContext,
): void {
  args.forEach((argument, i) => {
    validateMacros(argument, [...path, i], c);
  });
  const template = c.document.commands.get(command);
  if (template === undefined || args.length === 0) return;
  if (![template.line, ...args].some(hasUntrustedMacro)) return;
  const { resources } = c.document;
  const alone = findNestedCode(template, { args: undefined, resources });
  for (const use of findNestedCode(template, { args, resources })) {
    const { argument, macro } = use;
    if (argument !== undefined) reportNested(c, [...path, argument], use);
    else if (!alone.some((reported) => reported.macro === macro)) reportNested(c, path, use);
  }
}

function reportNested(c: CompileContext, path: DocumentPath, { macro, place }: NestedCode): void {
  const variable = environmentName(macro);
  const why = `has $${macro}$ in ${place}, where text from outside the configuration could be run as code`;
  reportProblem(c, path, `${why}; use the environment variable ${variable} there`);
}

function validateMacros(text: string, path: DocumentPath, c: CompileContext): void {
  for (const name of macroNamesIn(text)) {
    if (!isKnownMacro(name))
      reportProblem(c, path, `names the unknown macro $${name}$${nearestHint(name, macroNames)}`);
    else if (/^USER\d+$/.test(name) && !Object.hasOwn(c.document.resources, name))
      reportProblem(c, path, `names the macro $${name}$, which resources do not declare`);
  }
}
