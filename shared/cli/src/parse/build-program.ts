import type { FlagTable } from "@realmwatch/shared/platform/flags/flags";
import { Command, Option } from "commander";
import type { CliCommand, CommandFlags, CommandValues } from "../cli-command.ts";
import { cliCommands, commandGroups } from "../commands/cli-commands.ts";
import { connectionFlags } from "../connection/connection-flags.ts";
import { formatFlag } from "./format-flag.ts";
import type { KnownFlags } from "./normalise-argv.ts";

/** Parsed call of a command. */
export type ParsedCall = {
  readonly command: CliCommand;
  readonly args: readonly string[];
  readonly flags: CommandValues<CommandFlags>;
};

type CliProgramOptions = {
  /** Text of `-version`. */
  readonly version: string;
  /** Width of the help, in columns. */
  readonly columns: number;
  /** Prints help and version. */
  print(text: string): void;
  /** Called at most once, after a command was parsed. */
  onCommand(parsed: ParsedCall): void;
};

/** Text below the flags and commands in the help of the program. */
export const helpFooter =
  "\nThe flags above are valid for every command, and can be set in the environment:\n-target-realm is REALMWATCH_TARGET_REALM. A flag has precedence.";

/** Builds the argument parser of all commands. It throws its errors; the caller prints them. */
export function buildProgram({ version, columns, print, onCommand }: CliProgramOptions): Command {
  const program = new Command("realmwatch")
    .description("Operate realms from the command line.")
    .usage("COMMAND [flags]")
    .version(version, "--version", "Print the version.")
    .helpOption("-h, --help", "Print this help.")
    .helpCommand(false)
    .configureHelp({
      optionTerm: formatFlag,
      subcommandTerm: (command) => command.name(),
      sortOptions: true,
      showGlobalOptions: true,
    })
    .configureOutput({ writeOut: print, writeErr: () => undefined, getOutHelpWidth: () => columns })
    .addHelpText("after", helpFooter)
    .exitOverride();
  for (const [name, flag] of Object.entries<FlagTable[string]>(connectionFlags)) {
    const placeholder = flag.kind === "switch" ? "" : flag.placeholder;
    const short = name === "output" ? "-o, " : "";
    program.addOption(new Option(`${short}--${name} <${placeholder}>`, helpOf(flag)));
    if (flag.kind === "secret") program.addOption(new Option(`--${name}-file <PATH>`, `File that holds the ${name}.`));
  }
  program.addOption(new Option("-q, --quiet", "Print ids or names only, one per line."));
  for (const command of cliCommands) addCommand(program, command, onCommand);
  return program;
}

const helpOf = (flag: FlagTable[string]): string =>
  flag.kind === "value" && flag.fallback !== "" ? `${flag.help} (default ${flag.fallback})` : flag.help;

function addCommand(program: Command, command: CliCommand, onCommand: (parsed: ParsedCall) => void): void {
  const path = command.path.split(" ");
  const parent = path.slice(0, -1).reduce(groupOf, program);
  const own = parent.command(path.at(-1) ?? "").description(command.summary);
  for (const word of command.args) own.argument(word.startsWith("[") ? word.toLowerCase() : `<${word.toLowerCase()}>`);
  for (const [name, flag] of Object.entries(command.flags)) {
    const value = flag.placeholder === undefined ? "" : ` <${flag.placeholder}>`;
    own.addOption(new Option(`--${name}${value}`, flag.help));
  }
  const required = Object.entries(command.flags).filter(([, flag]) => flag.required);
  const flags = required.map(([name, { placeholder = "" }]) => `-${name} ${placeholder}`.trim());
  own.usage([...command.args, ...flags, "[flags]"].join(" "));
  own.action(() => onCommand({ command, args: own.args, flags: valuesOf(command.flags, own) }));
}

function groupOf(parent: Command, name: string): Command {
  const known = parent.commands.find((command) => command.name() === name);
  return (
    known ??
    parent
      .command(name)
      .description(commandGroups[name] ?? "")
      .usage("COMMAND [flags]")
      .helpCommand("help [command]", "Print the help of a command.")
  );
}

/**
 * Values of the command's flags. The parser assigns a flag that a parent command has too to the parent (`ack remove`
 * and `ack` both have `-selector`). A flag that only the parent has is rejected here.
 */
function valuesOf(flags: CommandFlags, command: Command): ParsedCall["flags"] {
  const ofParent = command.parent?.parent == null ? {} : command.parent.opts<Given>();
  const given: Given = { ...ofParent, ...command.opts<Given>() };
  const values = Object.entries(flags).map(([name, flag]) => {
    const value = given[attributeOf(name)];
    return [name, flag.placeholder === undefined ? value === true : value] as const;
  });
  const known = new Set(Object.keys(flags).map(attributeOf));
  const unknown = Object.keys(ofParent).find((name) => !known.has(name));
  if (unknown !== undefined)
    command.error(`error: unknown option '--${unknown}'`, { code: "commander.unknownOption", exitCode: 1 });
  return Object.fromEntries(values) as ParsedCall["flags"];
}

type Given = Readonly<Record<string, string | boolean | undefined>>;
const attributeOf = (name: string): string => new Option(`--${name}`).attributeName();

/**
 * Flags of all commands by name and alias. Where a name takes a value in one command and none in another, that of the
 * command which the arguments name counts.
 */
export function knownFlags(program: Command, args: readonly string[]): KnownFlags {
  const commands = [program, ...program.commands, ...program.commands.flatMap((group) => group.commands)];
  const named = commandNamed(program, args);
  const options = [...commands, named].flatMap(({ options }) => options).concat(new Option("-h, --help"));
  const known = new Map<string, { long: string; takesValue: boolean }>();
  for (const { long, short, required } of options) {
    const flag = { long: long?.slice(2) ?? "", takesValue: required };
    known.set(flag.long, flag);
    if (short !== undefined) known.set(short.slice(1), flag);
  }
  return known;
}

/** Command that the words of the arguments name; a group or the program where they name no command of it. */
const commandNamed = (program: Command, args: readonly string[]): Command =>
  args.reduce((command, word) => command.commands.find((each) => each.name() === word) ?? command, program);
