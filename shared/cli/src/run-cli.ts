import type { Clock } from "@realmwatch/shared/model/clock";
import { ok, type Result } from "@realmwatch/shared/model/result";
import { buildCommit, version } from "@realmwatch/shared/model/version";
import { type Command, CommanderError } from "commander";
import type { CliContext, CommandTree } from "./cli-command.ts";
import { unknownPluginResult } from "./commands/status-plugin.ts";
import { connectionFlags, readConnection } from "./connection/connection-flags.ts";
import { openServerClient } from "./connection/server-client.ts";
import { openSessionFile } from "./connection/session-file.ts";
import type { RunAgentProgram } from "./local/run-agent-program.ts";
import { type CliFailure, wrongUsage } from "./output/cli-failure.ts";
import { formatOutput, type PluginCode } from "./output/cli-output.ts";
import { buildProgram, knownFlags, type ParsedCall } from "./parse/build-program.ts";
import { commandTreeOf } from "./parse/command-tree.ts";
import { normaliseArgv } from "./parse/normalise-argv.ts";
import { usageError } from "./parse/usage-error.ts";

/** Environment of one run of the command line. */
export type CliEnvironment = {
  /** Arguments without the program's name. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly zone: string;
  readonly columns: number | undefined;
  readonly colours: boolean;
  readonly loginName: () => string;
  readonly confirm: CliContext["confirm"];
  readonly readPassword: CliContext["readPassword"];
  readonly runAgent: RunAgentProgram;
  readonly stopSignal?: CliContext["stopSignal"];
  /** Writes to stdout. */
  print(text: string): void;
  /** Writes to stderr. */
  printError(text: string): void;
};

/** Runs one command. @returns the exit code: 0 success, 1 failure, 2 wrong usage; with `-as-plugin` that of a plugin */
export async function runCli(environment: CliEnvironment): Promise<PluginCode> {
  const called = parseCall(environment);
  if (!called.ok) return refuse(called.error, environment);
  if (called.value === undefined) return 0;
  const { parsed, globals, commandTree } = called.value;
  const { quiet = false, ...given } = globals;
  const flags = readConnection(new Map(flagTexts(given)), environment.env);
  if (!flags.ok) return refuse(wrongUsage(flags.error).error, environment);
  const { clock, zone, columns, colours, confirm, readPassword, runAgent, loginName } = environment;
  const sessions = openSessionFile(environment.env);
  const session = await sessions?.find(flags.value.server, clock.now());
  const server = openServerClient({ flags: flags.value, session: session?.cookie, loginName });
  const format = flags.value.output;
  const report = (text: string): void => environment.printError(`${text}\n`);
  const context: CliContext = {
    server,
    clock,
    zone,
    format,
    commandTree,
    runAgent,
    sessions,
    readPassword,
    confirm,
    report,
    stopSignal: environment.stopSignal,
  };
  const answer = await parsed.command.run({ args: parsed.args, flags: parsed.flags, context });
  if (!answer.ok) return refuse(answer.error, environment);
  if (answer.value === undefined) return 0;
  const { value } = answer;
  const screen = { columns, colours, nowMs: clock.now(), zone };
  if (value.pluginCode !== undefined) {
    environment.print(`${value.text(screen)}\n`);
    return value.pluginCode;
  }
  environment.print(formatOutput(value, { format, quiet: quiet === true, screen }));
  const { failures = [] } = value;
  for (const failure of failures) report(failure);
  return failures.length === 0 ? 0 : 1;
}

function refuse({ code, lines }: CliFailure, environment: CliEnvironment): PluginCode {
  if (environment.args.some((arg) => pluginFlag.test(arg))) {
    // A scheduler would take 1 for a warning and 2 for a critical problem, and it shows stdout.
    const result = unknownPluginResult(lines.map((line) => line.replace(/^realmwatch: /, "")).join("; "));
    environment.print(`${result.text}\n`);
    return result.code;
  }
  for (const line of lines) environment.printError(`${line}\n`);
  return code;
}

const pluginFlag = /^--?as-plugin(=(true|1|t))?$/i;

type Globals = Readonly<Record<string, string | boolean | undefined>>;
type Called = {
  readonly parsed: ParsedCall;
  readonly globals: Globals;
  readonly commandTree: CommandTree;
};

/** Parses the command line; undefined when the parser itself printed the output: `-help`, `-version`. */
function parseCall(environment: CliEnvironment): Result<Called | undefined, CliFailure> {
  let parsed: ParsedCall | undefined;
  const program = buildProgram({
    version: `realmwatch ${version} (commit ${buildCommit}, node ${process.version})`,
    columns: environment.columns ?? 100,
    print: environment.print,
    onCommand(call) {
      parsed = call;
    },
  });
  const args = normaliseArgv(environment.args, knownFlags(program, environment.args));
  if (!args.ok) return wrongUsage(args.error);
  try {
    program.parse(args.value, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return ok(undefined);
    return wrongUsage(usageError(error, calledPath(program, args.value)));
  }
  const missing = parsed && missingFlag(parsed);
  if (missing !== undefined) return wrongUsage(`flag -${missing} is required`);
  return parsed === undefined
    ? wrongUsage("a command is required; realmwatch -help lists them")
    : ok({ parsed, globals: program.opts(), commandTree: commandTreeOf(program) });
}

const missingFlag = ({ command, flags }: ParsedCall): string | undefined =>
  Object.keys(command.flags).find((name) => command.flags[name]?.required === true && flags[name] === undefined);

/** Names of the groups and the command up to the first unknown one: `realmwatch downtime add`. */
function calledPath(program: Command, args: readonly string[]): string {
  let [path, command] = [program.name(), program];
  for (const word of args) {
    const next = command.commands.find((known) => known.name() === word);
    if (next !== undefined) [path, command] = [`${path} ${word}`, next];
    else if (!word.startsWith("-")) break;
  }
  return path;
}

/** Values of the given global flags, by flag name. */
function flagTexts(globals: Globals): [string, string][] {
  const names = Object.keys(connectionFlags).flatMap((name) => [name, `${name}-file`]);
  return names.flatMap((name): [string, string][] => {
    const value = globals[name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())];
    return typeof value === "string" ? [[name, value]] : [];
  });
}
