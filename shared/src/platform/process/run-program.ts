import { once } from "node:events";
import { text } from "node:stream/consumers";
import { never } from "../../model/never.ts";
import { fail, type Result } from "../../model/result.ts";
import { buildCommit, cueVersion } from "../../model/version.ts";
import { escapeUnprintable } from "../../text/unprintable.ts";
import { formatFlagHelp } from "../flags/flag-help.ts";
import {
  type FlagTable,
  type FlagValues,
  type ParsedSubCommand,
  parseFlags,
  type SubCommandSyntax,
} from "../flags/flags.ts";
import { systemClock } from "../system-clock.ts";

/** 0: success. 1: error of the program or its configuration. 2: invalid command line. 3: done, but not all of it. */
type ExitCode = 0 | 1 | 2 | 3;

/** A program after its start. */
export type RunningProgram = {
  /** Shuts down in order. Called once. */
  stop(): Promise<void>;
  /** Reloads the configuration, on SIGHUP. */
  reload(): void;
};

/** Exit without a start. `lines` go to stdout when they were `requested`, such as a version, else to stderr. */
export type ProgramExit = { readonly code: ExitCode; readonly lines: readonly string[]; readonly requested?: boolean };

/** Arguments of a sub-command: as many words as its syntax has, and the values of its own and the program's flags. */
type SubCommandInput = Pick<ParsedSubCommand, "words" | "values"> & {
  readStdin(): Promise<string>;
  /** Tells the program that started this one, if it listens, how far a long task is. */
  progress?(text: string): void;
};

/** A sub-command, which performs one task and exits. */
export type SubCommand = SubCommandSyntax & {
  /** Returns the text for stdout; or an exit, where a string means exit code 1 with that message. */
  run(call: SubCommandInput): Promise<Result<string, string | ProgramExit>>;
};

/** Defines a sub-command whose `run` receives its own flags with their types. */
export const subCommand = <T extends FlagTable>(command: {
  readonly words: readonly string[];
  readonly flags: T;
  run(
    call: Omit<SubCommandInput, "values"> & { readonly values: FlagValues<T> },
  ): Promise<Result<string, string | ProgramExit>>;
}): SubCommand => ({
  ...command,
  // The values were parsed with the same table that defines their types.
  run: (call) => command.run({ ...call, values: call.values as FlagValues<T> }),
});

export type SubCommands = Readonly<Record<string, SubCommand>>;

type ProgramOptions<T extends FlagTable> = {
  /** Name of the executable, such as `realmwatch-agent`. */
  readonly name: string;
  readonly version: string;
  readonly flags: T;
  /** Loads the sub-commands. Not called for a normal start, which then does not load their modules. */
  subCommands(): Promise<SubCommands>;
  /** Checks combinations of flags that are valid individually. The error is one line. */
  check(values: FlagValues<T>): Result<undefined, string>;
  /** Version of CUE in use, where flags choose it. Default: that of the built-in one. */
  usedCueVersion?(values: FlagValues<T>): Promise<string>;
  /** Starts the program; the error is the exit of a program that could not start or has ended already. */
  start(values: FlagValues<T>): Promise<Result<RunningProgram, ProgramExit>>;
};

/** Time limit for a shutdown, after which the process exits with code 1, ms. */
const stopLimitMs = 20_000;

function printExit({ lines, requested }: ProgramExit): void {
  const to = requested === true ? process.stdout : process.stderr;
  for (const line of lines) to.write(`${escapeUnprintable(line)}\n`);
}

/**
 * Runs a program from its command line until a signal ends it: SIGTERM or SIGINT shut it down, a second one ends it at
 * once; SIGHUP reloads. Sets the exit code and lets the process end by itself where possible.
 */
export async function runProgram<T extends FlagTable>(options: ProgramOptions<T>): Promise<void> {
  const { name, flags } = options;
  process.stdout.on("error", exitOnBrokenPipe);
  const input = { args: process.argv.slice(2), env: process.env };
  let parsed = parseFlags(flags, { ...input, commands: {} });
  const commands = parsed.ok || parsed.error.kind === "version" ? {} : await options.subCommands();
  if (!parsed.ok) parsed = parseFlags(flags, { ...input, commands });
  if (!parsed.ok) {
    switch (parsed.error.kind) {
      case "help":
        process.stdout.write(formatHelp(options, commands, parsed.error.command));
        return;
      case "version":
        return printVersion(options);
      case "usage":
        return exitWith({ code: 2, lines: [`${name}: ${parsed.error.message}`] });
      default:
        return never(parsed.error);
    }
  }
  if (parsed.value.command !== undefined) return runSubCommand(name, commands, parsed.value.command);
  const checked = options.check(parsed.value.values);
  if (!checked.ok) return exitWith({ code: 2, lines: [`${name}: ${checked.error}`] });
  await runUntilSignal(options, parsed.value.values);
}

async function printVersion<T extends FlagTable>({ name, version, flags, usedCueVersion }: ProgramOptions<T>) {
  const args = process.argv.slice(2).filter((word) => !/^--?version$/.test(word));
  const parsed = parseFlags(flags, { args, env: process.env, commands: {} });
  const cue = parsed.ok ? await usedCueVersion?.(parsed.value.values) : undefined;
  process.stdout.write(
    `${name} ${version} (commit ${buildCommit}, node ${process.version}, CUE ${cue ?? cueVersion})\n`,
  );
}

/** Exits with code 0 when the reader of stdout closes the pipe early, as in `… | head`. */
function exitOnBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
}

async function runSubCommand(program: string, commands: SubCommands, call: ParsedSubCommand): Promise<void> {
  const readStdin = (): Promise<string> => text(process.stdin);
  const progress = (said: string): void => void process.send?.(said);
  const result = await commands[call.name]?.run({ ...call, readStdin, progress });
  if (result?.ok) process.stdout.write(`${escapeUnprintable(result.value)}\n`);
  else if (typeof result?.error === "string") exitWith({ code: 1, lines: [`${program}: ${result.error}`] });
  else if (result !== undefined) exitWith(result.error);
}

function exitWith(exit: ProgramExit): void {
  printExit(exit);
  process.exitCode = exit.code;
}

function formatHelp<T extends FlagTable>(
  { name, flags }: ProgramOptions<T>,
  commands: SubCommands,
  command: string | undefined,
): string {
  const known = command === undefined ? undefined : commands[command];
  if (command !== undefined && known !== undefined)
    return formatFlagHelp(formatUsage(name, command, known), known.flags);
  const each = Object.entries(commands).map(([word, syntax]) =>
    formatUsage(name, word, syntax).replace("Usage:", "      "),
  );
  return formatFlagHelp([`Usage: ${name} [flags]`, ...each].join("\n"), flags);
}

const formatUsage = (name: string, command: string, { words, flags }: SubCommandSyntax): string =>
  [`Usage: ${name} ${command}`, ...words, ...(Object.keys(flags).length > 0 ? ["[flags]"] : [])].join(" ");

async function runUntilSignal<T extends FlagTable>({ start }: ProgramOptions<T>, values: FlagValues<T>): Promise<void> {
  const ended = new AbortController();
  let signals = 0;
  const onStopSignal = (): void => {
    signals += 1;
    if (signals > 1) process.exit(1);
    ended.abort();
  };
  process.on("SIGTERM", onStopSignal);
  process.on("SIGINT", onStopSignal);
  let reload: (() => void) | undefined;
  let isReloadWanted = false;
  // A document may have changed after it was read: what is asked for during the start is done after it.
  process.on("SIGHUP", () => {
    isReloadWanted = true;
    reload?.();
  });
  const running = await start(values);
  if (!running.ok) {
    printExit(running.error);
    process.exit(running.error.code);
  }
  reload = () => running.value.reload();
  if (isReloadWanted) reload();
  if (!ended.signal.aborted) await once(ended.signal, "abort");
  systemClock.after(stopLimitMs, () => process.exit(1));
  await running.value.stop();
  process.exit(0);
}

/** Exit with code 1 of a program that could not start. */
export const cannotStart = (...lines: readonly string[]): { readonly ok: false; readonly error: ProgramExit } =>
  fail({ code: 1, lines });
