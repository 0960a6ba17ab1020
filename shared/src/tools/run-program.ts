import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fail, type Result } from "../words/result.ts";
import { showFlagHelp } from "./flag-help.ts";
import { type FlagTable, type FlagValues, readFlags } from "./flags.ts";
import { systemClock } from "./system-clock.ts";

/** 0 all is well, 1 the program or its configuration, 2 how it was called. */
export type ExitCode = 0 | 1 | 2;

/** A program that has started. */
export type Running = {
  /** Ends in order. Called once. */
  stop(): Promise<void>;
  /** SIGHUP. */
  reload(): void;
};

/** An end instead of a start. `lines` go to stderr, or to stdout where they are what was asked for. */
export type Exit = { readonly code: ExitCode; readonly lines: readonly string[]; readonly asked?: boolean };

/** A word on the command line that does one thing and ends. Answers what to print on stdout. */
export type SubCommand = (readStdin: () => Promise<string>) => Promise<Result<string, string>>;

export type ProgramOptions<T extends FlagTable> = {
  /** As it is called: `realmwatch-agent`. */
  readonly name: string;
  readonly version: string;
  readonly flags: T;
  readonly subCommands: Readonly<Record<string, SubCommand>>;
  /** What is wrong with flags that are each right, in one line. */
  check(values: FlagValues<T>): Result<undefined, string>;
  /** Starts the program; an `Exit` where it has ended already or could not start. */
  start(values: FlagValues<T>): Promise<Result<Running, Exit>>;
};

/** How long an orderly end may take before the process leaves anyhow, ms. */
const stopLimitMs = 20_000;

function say({ lines, asked }: Exit): void {
  const to = asked === true ? process.stdout : process.stderr;
  for (const line of lines) to.write(`${line}\n`);
}

/**
 * Runs a program from its command line until a signal ends it: SIGTERM and SIGINT end it in order, a second
 * one at once; SIGHUP reloads. Sets the exit code and leaves the process to end by itself where it can.
 */
export async function runProgram<T extends FlagTable>(options: ProgramOptions<T>): Promise<void> {
  const { name, version, flags, subCommands } = options;
  const read = readFlags(flags, { args: process.argv.slice(2), env: process.env, commands: Object.keys(subCommands) });
  if (!read.ok) {
    switch (read.error.kind) {
      case "help":
        process.stdout.write(showFlagHelp(usageOf(name, subCommands), flags));
        return;
      case "version":
        process.stdout.write(`${name} ${version} (node ${process.version})\n`);
        return;
      case "usage":
        return refuse({ code: 2, lines: [`${name}: ${read.error.message}`] });
    }
  }
  const subCommand = read.value.command === undefined ? undefined : subCommands[read.value.command];
  if (subCommand !== undefined) {
    const printed = await subCommand(() => text(process.stdin));
    if (!printed.ok) return refuse({ code: 1, lines: [`${name}: ${printed.error}`] });
    process.stdout.write(`${printed.value}\n`);
    return;
  }
  const checked = options.check(read.value.values);
  if (!checked.ok) return refuse({ code: 2, lines: [`${name}: ${checked.error}`] });
  await runUntilSignal(options, read.value.values);
}

function refuse(exit: Exit): void {
  say(exit);
  process.exitCode = exit.code;
}

function usageOf(name: string, subCommands: Readonly<Record<string, SubCommand>>): string {
  return [`Usage: ${name} [flags]`, ...Object.keys(subCommands).map((word) => `       ${name} ${word}`)].join("\n");
}

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
    say(running.error);
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
export const cannotStart = (...lines: readonly string[]): { readonly ok: false; readonly error: Exit } =>
  fail({ code: 1, lines });
