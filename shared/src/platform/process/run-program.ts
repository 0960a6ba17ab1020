import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fail, type Result } from "../../model/result.ts";
import { formatFlagHelp } from "../flags/flag-help.ts";
import {
  type FlagTable,
  type FlagValues,
  type ParsedSubCommand,
  parseFlags,
  type SubCommandSyntax,
} from "../flags/flags.ts";
import { systemClock } from "../system-clock.ts";

/** 0 all is well, 1 the program or its configuration, 2 how it was called. */
export type ExitCode = 0 | 1 | 2;

/** A program that has started. */
export type RunningProgram = {
  /** Ends in order. Called once. */
  stop(): Promise<void>;
  /** SIGHUP. */
  reload(): void;
};

/** An end instead of a start. `lines` go to stderr, or to stdout where they are what was asked for. */
export type ProgramExit = { readonly code: ExitCode; readonly lines: readonly string[]; readonly requested?: boolean };

/** What a sub-command is handed: as many words as its syntax has, and its flags with the program's. */
export type SubCommandInput = Pick<ParsedSubCommand, "words" | "values"> & { readStdin(): Promise<string> };

/** A word on the command line that does one thing and ends. */
export type SubCommand = SubCommandSyntax & {
  /** Answers what to print on stdout, or how it ends instead: a sentence means exit code 1. */
  run(call: SubCommandInput): Promise<Result<string, string | ProgramExit>>;
};

/** A sub-command whose `run` sees its own flags by their types. */
export const subCommand = <T extends FlagTable>(command: {
  readonly words: readonly string[];
  readonly flags: T;
  run(
    call: Omit<SubCommandInput, "values"> & { readonly values: FlagValues<T> },
  ): Promise<Result<string, string | ProgramExit>>;
}): SubCommand => ({
  ...command,
  // The flags were read by the very table that types them.
  run: (call) => command.run({ ...call, values: call.values as FlagValues<T> }),
});

export type SubCommands = Readonly<Record<string, SubCommand>>;

export type ProgramOptions<T extends FlagTable> = {
  /** As it is called: `realmwatch-agent`. */
  readonly name: string;
  readonly version: string;
  readonly flags: T;
  /** Loads them: a program that is asked for none starts without their modules. */
  subCommands(): Promise<SubCommands>;
  /** What is wrong with flags that are each right, in one line. */
  check(values: FlagValues<T>): Result<undefined, string>;
  /** Starts the program; an `Exit` where it has ended already or could not start. */
  start(values: FlagValues<T>): Promise<Result<RunningProgram, ProgramExit>>;
};

/** How long an orderly end may take before the process leaves anyhow, ms. */
const stopLimitMs = 20_000;

function printExit({ lines, requested }: ProgramExit): void {
  const to = requested === true ? process.stdout : process.stderr;
  for (const line of lines) to.write(`${line}\n`);
}

/**
 * Runs a program from its command line until a signal ends it: SIGTERM and SIGINT end it in order, a second
 * one at once; SIGHUP reloads. Sets the exit code and leaves the process to end by itself where it can.
 */
export async function runProgram<T extends FlagTable>(options: ProgramOptions<T>): Promise<void> {
  const { name, version, flags } = options;
  process.stdout.on("error", leaveReader);
  const said = { args: process.argv.slice(2), env: process.env };
  let read = parseFlags(flags, { ...said, commands: {} });
  const commands = read.ok || read.error.kind === "version" ? {} : await options.subCommands();
  if (!read.ok) read = parseFlags(flags, { ...said, commands });
  if (!read.ok) {
    switch (read.error.kind) {
      case "help":
        process.stdout.write(helpOf(options, commands, read.error.command));
        return;
      case "version":
        process.stdout.write(`${name} ${version} (node ${process.version})\n`);
        return;
      case "usage":
        return refuse({ code: 2, lines: [`${name}: ${read.error.message}`] });
    }
  }
  if (read.value.command !== undefined) return runSubCommand(name, commands, read.value.command);
  const checked = options.check(read.value.values);
  if (!checked.ok) return refuse({ code: 2, lines: [`${name}: ${checked.error}`] });
  await runUntilSignal(options, read.value.values);
}

/** Whoever reads what we print may have seen enough: `… | head`. */
function leaveReader(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
}

async function runSubCommand(program: string, commands: SubCommands, call: ParsedSubCommand): Promise<void> {
  const readStdin = (): Promise<string> => text(process.stdin);
  const printed = await commands[call.name]?.run({ ...call, readStdin });
  if (printed?.ok) process.stdout.write(`${printed.value}\n`);
  else if (typeof printed?.error === "string") refuse({ code: 1, lines: [`${program}: ${printed.error}`] });
  else if (printed !== undefined) refuse(printed.error);
}

function refuse(exit: ProgramExit): void {
  printExit(exit);
  process.exitCode = exit.code;
}

function helpOf<T extends FlagTable>(
  { name, flags }: ProgramOptions<T>,
  commands: SubCommands,
  command: string | undefined,
): string {
  const known = command === undefined ? undefined : commands[command];
  if (command !== undefined && known !== undefined) return formatFlagHelp(usageOf(name, command, known), known.flags);
  const each = Object.entries(commands).map(([word, syntax]) =>
    usageOf(name, word, syntax).replace("Usage:", "      "),
  );
  return formatFlagHelp([`Usage: ${name} [flags]`, ...each].join("\n"), flags);
}

const usageOf = (name: string, command: string, { words, flags }: SubCommandSyntax): string =>
  [`Usage: ${name} ${command}`, ...words, ...(Object.keys(flags).length > 0 ? ["[flags]"] : [])].join(" ");

async function runUntilSignal<T extends FlagTable>({ start }: ProgramOptions<T>, values: FlagValues<T>): Promise<void> {
  const ended = new AbortController();
  let signals = 0;
  const onEnd = (): void => {
    signals += 1;
    if (signals > 1) process.exit(1);
    ended.abort();
  };
  process.on("SIGTERM", onEnd);
  process.on("SIGINT", onEnd);
  // Before the program can reload, SIGHUP must not end it.
  process.on("SIGHUP", ignore);
  const running = await start(values);
  if (!running.ok) {
    printExit(running.error);
    process.exit(running.error.code);
  }
  process.off("SIGHUP", ignore);
  process.on("SIGHUP", () => running.value.reload());
  if (!ended.signal.aborted) await once(ended.signal, "abort");
  systemClock.after(stopLimitMs, () => process.exit(1));
  await running.value.stop();
  process.exit(0);
}

const ignore = (): void => {};

/** An `Exit` of a program that could not start. */
export const cannotStart = (...lines: readonly string[]): { readonly ok: false; readonly error: ProgramExit } =>
  fail({ code: 1, lines });
