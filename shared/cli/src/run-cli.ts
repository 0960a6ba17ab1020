import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { buildCommit, version } from "@realmwatch/shared/model/version";
import { type Command, CommanderError } from "commander";
import type { CliContext, CommandTree } from "./cli-command.ts";
import { unknownPluginResult } from "./commands/status/status-plugin.ts";
import { connectionFlags, readConnection } from "./connection/connection-flags.ts";
import { ServerClient } from "./connection/server-client.ts";
import { openSessionFile } from "./connection/session-file.ts";
import { readTlsFiles } from "./connection/tls-files.ts";
import { type CliFailure, wrongUsage } from "./output/cli-failure.ts";
import { type CliOutput, formatOutput, type PluginCode } from "./output/cli-output.ts";
import { escapeOutput } from "./output/printable-text.ts";
import { buildProgram, knownFlags, type ParsedCall } from "./parse/build-program.ts";
import { commandTreeOf } from "./parse/command-tree.ts";
import { normaliseArgv } from "./parse/normalise-argv.ts";
import { usageError } from "./parse/usage-error.ts";

/** Size of a terminal in characters. */
type TerminalSize = { readonly columns: number; readonly rows: number };

/** Environment of one run of the command line. */
export type CliEnvironment = Pick<
  CliContext,
  "clock" | "zone" | "confirm" | "readPassword" | "runAgent" | "stopSignal"
> &
  Partial<Pick<CliContext, "progress" | "followProgress">> & {
    /** Arguments without the program's name. */
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string | undefined>>;
    /** Present size of the terminal that stdout is; undefined for none. */
    readonly terminal: () => TerminalSize | undefined;
    readonly colours: boolean;
    readonly loginName: () => string;
    /** Empties the terminal. */
    clear(): void;
    /** Writes to stdout. */
    print(text: string): void;
    /** Writes to stderr. */
    printError(text: string): void;
  };

/** Runs one command. @returns the exit code: 0 success, 1 failure, 2 wrong usage; with `-as-plugin` that of a plugin */
export async function runCli(given: CliEnvironment): Promise<PluginCode> {
  const environment = withSafeOutput(given);
  const called = parseCall(environment);
  if (!called.ok) return refuse(called.error, environment);
  if (called.value === undefined) return 0;
  const { parsed, globals, commandTree } = called.value;
  const { quiet = false, ...connection } = globals;
  const flags = readConnection(new Map(flagTexts(connection)), environment.env);
  if (!flags.ok) return refuse(wrongUsage(flags.error).error, environment);
  const tls = await readTlsFiles(flags.value);
  if (!tls.ok) return refuse(wrongUsage(tls.error).error, environment);
  const { clock, zone, colours, confirm, readPassword, runAgent, loginName } = environment;
  const sessions = openSessionFile(environment.env);
  const session = await sessions?.find(flags.value.server, clock.now());
  const server = new ServerClient({ flags: flags.value, tls: tls.value, session: session?.cookie, loginName });
  const format = flags.value.output;
  const report = (text: string): void => environment.printError(`${text}\n`);
  const screen = () => ({ columns: environment.terminal()?.columns, colours, nowMs: clock.now(), zone });
  const formatted = (output: CliOutput): string =>
    formatOutput(output, { format, quiet: quiet === true, screen: screen() });
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
    progress: environment.progress ?? (() => {}),
    followProgress: environment.followProgress ?? (() => {}),
    show(output) {
      const size = environment.terminal();
      if (size !== undefined) environment.clear();
      environment.print(size === undefined ? formatted(output) : firstRows(formatted(output), size.rows));
    },
    stopSignal: environment.stopSignal,
  };
  const answer = await parsed.command.run({ args: parsed.args, flags: parsed.flags, context });
  if (!answer.ok) return refuse(answer.error, environment);
  if (answer.value === undefined) return 0;
  const { value } = answer;
  if (value.pluginCode !== undefined) {
    environment.print(`${value.text(screen())}\n`);
    return value.pluginCode;
  }
  environment.print(formatted(value));
  const { failures = [] } = value;
  for (const failure of failures) report(failure);
  return failures.length === 0 ? 0 : 1;
}

/** Text as far as it fits a terminal, whose last row says how much does not. */
function firstRows(text: string, rows: number): string {
  const lines = text.split("\n");
  const shown = Math.max(1, rows - 2);
  return lines.length <= rows
    ? text
    : [...lines.slice(0, shown), `… ${lines.length - 1 - shown} more lines`, ""].join("\n");
}

/** The environment whose output is escaped: this is the one place through which text of servers and files is printed. */
function withSafeOutput(environment: CliEnvironment): CliEnvironment {
  const { colours, confirm, print, printError, readPassword } = environment;
  return {
    ...environment,
    print: (text) => print(escapeOutput(text, colours)),
    printError: (text) => printError(escapeOutput(text, colours)),
    confirm: confirm && ((question) => confirm(escapeOutput(question, colours))),
    readPassword: (question) => readPassword(escapeOutput(question, colours)),
  };
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
    columns: environment.terminal()?.columns ?? 100,
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
    const called = calledCommand(program, args.value);
    const sentence = usageError(error, called.path);
    return incomplete.has(error.code) ? withUsage(sentence, called.command) : wrongUsage(sentence);
  }
  const missing = parsed && missingFlag(parsed);
  if (missing !== undefined)
    return withUsage(`flag -${missing} is required`, calledCommand(program, args.value).command);
  return parsed === undefined
    ? withUsage("a command is required; realmwatch -help lists them", program)
    : ok({ parsed, globals: program.opts(), commandTree: commandTreeOf(program) });
}

const missingFlag = ({ command, flags }: ParsedCall): string | undefined =>
  Object.keys(command.flags).find((name) => command.flags[name]?.required === true && flags[name] === undefined);

/** Codes of the parser's errors about words that are missing. */
const incomplete: ReadonlySet<string> = new Set(["commander.missingArgument", "commander.help"]);

/** Wrong usage of a command that lacks words, with the line that shows what it takes. */
function withUsage(sentence: string, command: Command): Result<never, CliFailure> {
  const [usage = ""] = command.helpInformation().split("\n");
  return fail({ code: 2, lines: [...wrongUsage(sentence).error.lines, usage] });
}

/** Command of a command line, or the group up to the first unknown one, with the names: `realmwatch downtime add`. */
function calledCommand(
  program: Command,
  args: readonly string[],
): { readonly path: string; readonly command: Command } {
  let [path, command] = [program.name(), program];
  for (const word of args) {
    const next = command.commands.find((known) => known.name() === word);
    if (next !== undefined) [path, command] = [`${path} ${word}`, next];
    else if (!word.startsWith("-")) break;
  }
  return { path, command };
}

/** Values of the given global flags, by flag name. */
function flagTexts(globals: Globals): [string, string][] {
  const names = Object.keys(connectionFlags).flatMap((name) => [name, `${name}-file`]);
  return names.flatMap((name): [string, string][] => {
    const value = globals[name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())];
    return typeof value === "string" ? [[name, value]] : [];
  });
}
