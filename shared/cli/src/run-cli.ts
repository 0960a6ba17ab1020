import type { Clock } from "@realmwatch/shared/model/clock";
import { ok, type Result } from "@realmwatch/shared/model/result";
import { version } from "@realmwatch/shared/model/version";
import { type Command, CommanderError } from "commander";
import type { CommandContext } from "./cli-command.ts";
import { connectionFlags, readConnection } from "./connection/connection-flags.ts";
import { openServerClient } from "./connection/server-client.ts";
import type { RunAgentProgram } from "./local/run-agent-program.ts";
import { type CommandFailure, wrongUsage } from "./output/command-failure.ts";
import { formatOutput } from "./output/command-output.ts";
import { buildProgram, knownFlags, type ParsedCall } from "./parse/build-program.ts";
import { normaliseArgv } from "./parse/normalise-argv.ts";
import { usageError } from "./parse/usage-error.ts";

/** The world around one run of the command line. */
export type CliEnvironment = {
  /** Without the program's name. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly zone: string;
  readonly columns: number | undefined;
  readonly colours: boolean;
  readonly loginName: () => string;
  readonly confirm: CommandContext["confirm"];
  readonly runAgent: RunAgentProgram;
  /** stdout */
  print(text: string): void;
  /** stderr */
  printError(text: string): void;
};

/** Runs one command. @returns the exit code: 0 well, 1 something failed, 2 the call was wrong */
export async function runCli(around: CliEnvironment): Promise<0 | 1 | 2> {
  const called = parseCall(around);
  if (!called.ok) return refuse(called.error, around);
  if (called.value === undefined) return 0;
  const { parsed, globals } = called.value;
  const { quiet = false, ...said } = globals;
  const flags = readConnection(new Map(namedTexts(said)), around.env);
  if (!flags.ok) return refuse(wrongUsage(flags.error).error, around);
  const { clock, zone, columns, colours, confirm, runAgent, loginName } = around;
  const server = openServerClient({ flags: flags.value, loginName });
  const format = flags.value.output;
  const report = (text: string): void => around.printError(`${text}\n`);
  const context: CommandContext = { server, clock, zone, format, runAgent, confirm, report };
  const answer = await parsed.command.run({ args: parsed.args, flags: parsed.flags, context });
  if (!answer.ok) return refuse(answer.error, around);
  if (answer.value === undefined) return 0;
  const screen = { columns, colours, nowMs: clock.now(), zone };
  around.print(formatOutput(answer.value, { format, quiet: quiet === true, screen }));
  const { failures = [] } = answer.value;
  for (const failure of failures) report(failure);
  return failures.length === 0 ? 0 : 1;
}

function refuse({ code, lines }: CommandFailure, around: CliEnvironment): 1 | 2 {
  for (const line of lines) around.printError(`${line}\n`);
  return code;
}

type Globals = Readonly<Record<string, string | boolean | undefined>>;
type Called = { readonly parsed: ParsedCall; readonly globals: Globals };

/** What was called; undefined where the parser has answered itself: `-help`, `-version`. */
function parseCall(around: CliEnvironment): Result<Called | undefined, CommandFailure> {
  let parsed: ParsedCall | undefined;
  const program = buildProgram({
    version: `realmwatch ${version} (node ${process.version})`,
    columns: around.columns ?? 100,
    print: around.print,
    onCommand(call) {
      parsed = call;
    },
  });
  const args = normaliseArgv(around.args, knownFlags(program));
  if (!args.ok) return wrongUsage(args.error);
  try {
    program.parse(args.value, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return ok(undefined);
    return wrongUsage(usageError(error, calledPath(program, args.value)));
  }
  const missing = parsed && missingFlag(parsed);
  if (missing !== undefined) return wrongUsage(`flag -${missing} is needed`);
  return parsed === undefined
    ? wrongUsage("a command is needed; realmwatch -help lists them")
    : ok({ parsed, globals: program.opts() });
}

const missingFlag = ({ command, flags }: ParsedCall): string | undefined =>
  Object.keys(command.flags).find((name) => command.flags[name]?.required === true && flags[name] === undefined);

/** The words of the command as far as they were understood: `realmwatch downtime add`. */
function calledPath(program: Command, args: readonly string[]): string {
  let [path, command] = [program.name(), program];
  for (const word of args) {
    const next = command.commands.find((known) => known.name() === word);
    if (next !== undefined) [path, command] = [`${path} ${word}`, next];
    else if (!word.startsWith("-")) break;
  }
  return path;
}

/** The flags of every command that were given, by the names they are written with. */
function namedTexts(globals: Globals): [string, string][] {
  const names = Object.keys(connectionFlags).flatMap((name) => [name, `${name}-file`]);
  return names.flatMap((name): [string, string][] => {
    const value = globals[name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())];
    return typeof value === "string" ? [[name, value]] : [];
  });
}
