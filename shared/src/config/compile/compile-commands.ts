import { isKnownMacro, macroNames, macroNamesIn } from "../../text/command/macro.ts";
import { splitWords } from "../../text/command/shell-words.ts";
import { type Compiling, nearest, type Path, report } from "./compile-context.ts";
import type { CommandTemplate } from "../plan.ts";

/** The command templates by name; lines that cannot be split and macros that cannot have a value are reported. */
export function compileCommands(c: Compiling): Readonly<Record<string, CommandTemplate>> {
  for (const [name, { line, shell }] of c.document.commands) {
    const path = ["commands", name, "line"];
    checkMacros(line, path, c);
    const words = shell || line === "" ? undefined : splitWords(line);
    if (words?.ok === false) report(c, path, `cannot be split into words: it ${words.error}`);
  }
  return Object.fromEntries(c.document.commands);
}

/** Reports unknown macros in the arguments of a check, contact or handler of type `command`. */
export function checkArguments(args: readonly string[], path: Path, c: Compiling): void {
  args.forEach((argument, i) => {
    checkMacros(argument, [...path, i], c);
  });
}

function checkMacros(text: string, path: Path, c: Compiling): void {
  for (const name of macroNamesIn(text)) {
    if (!isKnownMacro(name)) report(c, path, `names the unknown macro $${name}$${nearest(name, macroNames)}`);
    else if (/^USER\d+$/.test(name) && !Object.hasOwn(c.document.resources, name))
      report(c, path, `names the macro $${name}$, which resources do not declare`);
  }
}
