import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import type { Command } from "commander";
import type { CommandTree } from "../cli-command.ts";
import { cliCommands } from "../commands/cli-commands.ts";
import { outputFormats } from "../output/cli-output.ts";
import { helpFooter } from "./build-program.ts";

/** Describes the commands of the parser for `help` and `completion`. */
export const commandTreeOf = (program: Command): CommandTree => ({
  help(path) {
    const command = findCommand(program, path);
    return command.ok
      ? ok(command.value.helpInformation() + (command.value === program ? `${helpFooter}\n` : ""))
      : command;
  },
  words: () => new Map(pathsOf(program).map(([path, command]) => [path, wordsOf(program, command)])),
  values: () =>
    new Map([
      ["-o", outputFormats],
      ["-output", outputFormats],
    ]),
  objectCommands: () =>
    cliCommands.filter(({ args: [first = ""] }) => /^\[?(OBJECT|TARGET)\]?$/.test(first)).map(({ path }) => path),
});

function findCommand(program: Command, path: readonly string[]): Result<Command, string> {
  let command = program;
  for (const word of path) {
    const next = command.commands.find((known) => known.name() === word);
    if (next === undefined)
      return fail(`there is no command ${JSON.stringify(word)}; realmwatch help lists the commands`);
    command = next;
  }
  return ok(command);
}

function pathsOf(command: Command, path = ""): (readonly [path: string, command: Command])[] {
  const below = command.commands.flatMap((next) => pathsOf(next, `${path} ${next.name()}`.trim()));
  return [[path, command], ...below];
}

function wordsOf(program: Command, command: Command): string[] {
  const flags = [...new Set([...command.options, ...program.options])].map(({ long }) => `-${long?.slice(2)}`);
  return [...command.commands.map((next) => next.name()), ...[...new Set(flags)].sort(), "-help"];
}
