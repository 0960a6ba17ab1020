import { isKnownMacro, macroNames, macroNamesIn } from "../../text/command/macro.ts";
import { environmentName } from "../../text/command/macro-value.ts";
import type { CommandTemplate } from "../../text/command/prepare-command.ts";
import { splitWords } from "../../text/command/shell-words.ts";
import { hasUntrustedMacro, type LineContext } from "../../text/command/untrusted/command-text.ts";
import { findMisusedMacro, type MisusedMacro } from "../../text/command/untrusted/untrusted-macros.ts";
import type { DocumentPath } from "../../text/document-path.ts";
import { type CompileContext, nearestHint, reportProblem, requireDeclared } from "./compile-context.ts";

/** Compiles the command templates. Reports lines that cannot be split into words and macros without a value. */
export function compileCommands(c: CompileContext): Readonly<Record<string, CommandTemplate>> {
  for (const [name, { line, shell }] of c.document.commands) {
    const path = ["commands", name, "line"];
    validateMacros(line, path, c);
    const words = shell || line === "" ? undefined : splitWords(line);
    if (words?.ok === false) reportProblem(c, path, `cannot be split into words: it ${words.error}`);
    const misused = words?.ok === false ? undefined : findMisusedMacro({ line, shell }, contextOf(c, undefined));
    if (misused !== undefined) reportMisused(c, path, misused);
  }
  return Object.fromEntries(c.document.commands);
}

/**
 * Reports an undeclared command of a check, contact or handler of type `command`, unknown macros in its arguments, and
 * texts from outside the configuration that the command line would not treat as text.
 */
export function validateCall(
  c: CompileContext,
  { command, args }: { readonly command: string; readonly args: readonly string[] },
  callPath: DocumentPath,
): void {
  requireDeclared(c, "commands", command, [...callPath, "command"]);
  const path = [...callPath, "args"];
  args.forEach((argument, i) => {
    validateMacros(argument, [...path, i], c);
  });
  const template = c.document.commands.get(command);
  if (template === undefined || args.length === 0) return;
  if (![template.line, ...args].some(hasUntrustedMacro)) return;
  const misused = findMisusedMacro(template, contextOf(c, args));
  if (misused === undefined) return;
  if (misused.argument !== undefined) reportMisused(c, [...path, misused.argument], misused);
  else if (findMisusedMacro(template, contextOf(c, undefined)) === undefined) reportMisused(c, path, misused);
}

const contextOf = ({ document: { resources } }: CompileContext, args: readonly string[] | undefined): LineContext => ({
  args,
  resources,
});

function reportMisused(c: CompileContext, path: DocumentPath, { macro, place, allowed }: MisusedMacro): void {
  const remedy = `or read the environment variable ${environmentName(macro)} in a script of your own`;
  reportProblem(c, path, `has $${macro}$, a text from outside the configuration, ${place}: ${allowed}, ${remedy}`);
}

function validateMacros(text: string, path: DocumentPath, c: CompileContext): void {
  for (const name of macroNamesIn(text)) {
    if (!isKnownMacro(name)) {
      const hint = /^ARG\d*$/.test(name) ? "; arguments are $ARG1$ to $ARG32$" : nearestHint(name, macroNames);
      reportProblem(c, path, `names the unknown macro $${name}$${hint}`);
    } else if (/^USER\d+$/.test(name) && !Object.hasOwn(c.document.resources, name))
      reportProblem(c, path, `names the macro $${name}$, which resources do not declare`);
  }
}
