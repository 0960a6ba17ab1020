import type { Clock } from "@realmwatch/shared/model/clock";
import { ok, type Result } from "@realmwatch/shared/model/result";
import type { ServerClient } from "./connection/server-client.ts";
import type { SessionFile } from "./connection/session-file.ts";
import type { RunAgentProgram } from "./local/run-agent-program.ts";
import { type CliFailure, commandFailed, wrongUsage } from "./output/cli-failure.ts";
import type { CliOutput, OutputFormat } from "./output/cli-output.ts";

/** Flag of one command. With a placeholder it takes a value, without one it is a switch. */
type CommandFlag = {
  readonly help: string;
  readonly placeholder?: string;
  /** The flag must be given. */
  readonly required?: true;
};
/** Flags by name, without dashes. */
export type CommandFlags = Readonly<Record<string, CommandFlag>>;
export type CommandValues<T extends CommandFlags> = {
  readonly [K in keyof T]: T[K] extends { placeholder: string }
    ? T[K] extends { required: true }
      ? string
      : string | undefined
    : boolean;
};

/** Commands of the program, as its parser knows them. */
export type CommandTree = {
  /** Help of a command or a group by the names of its path; of the program for an empty path. Fails with a sentence. */
  help(path: readonly string[]): Result<string, string>;
  /** Words that may follow each path (names of commands, then flags with one dash). */
  words(): ReadonlyMap<string, readonly string[]>;
  /** Flags with a fixed set of values, and those values. */
  values(): ReadonlyMap<string, readonly string[]>;
  /** Paths of the commands whose first argument is an object. */
  objectCommands(): readonly string[];
};

/** Dependencies and settings that a command receives. */
export type CliContext = {
  readonly server: ServerClient;
  readonly clock: Clock;
  /** IANA name of the zone of times without an offset. */
  readonly zone: string;
  readonly format: OutputFormat;
  readonly runAgent: RunAgentProgram;
  readonly commandTree: CommandTree;
  /** Sessions of `realmwatch login`; undefined when the user has no configuration directory. */
  readonly sessions: SessionFile | undefined;
  /** Asks for a password without showing it, or reads it from stdin; undefined when the user gave up. */
  readonly readPassword: (question: string) => Promise<string | undefined>;
  /** Asks the user a yes-or-no question; undefined when there is no terminal. */
  readonly confirm: ((question: string) => Promise<boolean>) | undefined;
  /** Signal that aborts at SIGINT or SIGTERM, which no longer end the program from then on; by default they do. */
  readonly stopSignal?: (() => AbortSignal) | undefined;
  /** Prints an output on stdout while the command runs; on a terminal in place of what it shows. */
  show(output: CliOutput): void;
  /** Says how far a long command is, such as `12 of 400 downtimes (3 %)`; shown on a terminal after some seconds. */
  readonly progress: (text: string) => void;
  /**
   * Has `ask` called each second of a long command, on a terminal only, and shows its answer as progress. An empty answer
   * keeps the one before; `ask` does not reject, and its signal aborts when the command has ended.
   */
  readonly followProgress: (ask: (signal: AbortSignal) => Promise<string>) => void;
  /** Prints a line on stderr while the command runs. */
  report(text: string): void;
};

type CommandCall<T extends CommandFlags> = {
  readonly args: readonly string[];
  readonly flags: CommandValues<T>;
  readonly context: CliContext;
};

/** A command of `realmwatch`. */
export type CliCommand = {
  /** Name with the names of its groups: `downtime add`. */
  readonly path: string;
  /** Arguments as the help displays them: `[SELECTOR]`, `ID...`. Those without brackets are required. */
  readonly args: readonly string[];
  /** One sentence for the help. */
  readonly summary: string;
  readonly flags: CommandFlags;
  /** Runs the command; resolves to undefined when the output was printed already. */
  run(call: CommandCall<CommandFlags>): Promise<Result<CliOutput | undefined, CliFailure>>;
};

/** Asks the user to confirm a command that was called without `-yes`. @param nothing what is said without consent */
export async function confirmed(
  { confirm }: Pick<CliContext, "confirm">,
  question: string,
  nothing: string,
): Promise<Result<undefined, CliFailure>> {
  if (confirm === undefined) return wrongUsage(`${nothing}: -yes is required without a terminal`);
  return (await confirm(question)) ? ok(undefined) : commandFailed(nothing);
}

/** Declares a command, with `run` typed by the command's own flags. */
export const cliCommand = <const T extends CommandFlags>(
  command: Omit<CliCommand, "flags" | "run"> & {
    readonly flags: T;
    run(call: CommandCall<T>): Promise<Result<CliOutput | undefined, CliFailure>>;
  },
): CliCommand => ({
  ...command,
  // The parser passes exactly the flags that the command declares.
  run: (call) => command.run(call as CommandCall<T>),
});
