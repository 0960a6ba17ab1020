import type { Clock } from "@realmwatch/shared/model/clock";
import type { Result } from "@realmwatch/shared/model/result";
import type { ServerClient } from "./connection/server-client.ts";
import type { RunAgentProgram } from "./local/run-agent-program.ts";
import type { CommandFailure } from "./output/command-failure.ts";
import type { CommandOutput, OutputFormat } from "./output/command-output.ts";

/** A flag of one command: with a placeholder it takes a value, without it is a switch. */
export type CommandFlag = {
  readonly help: string;
  readonly placeholder?: string;
  /** A letter that means the same. */
  readonly short?: string;
  /** The command is not run without it. */
  readonly required?: true;
};
/** By the name as it is written, without dashes. */
export type CommandFlags = Readonly<Record<string, CommandFlag>>;
export type CommandValues<T extends CommandFlags> = {
  readonly [K in keyof T]: T[K] extends { placeholder: string }
    ? T[K] extends { required: true }
      ? string
      : string | undefined
    : boolean;
};

/** What commands work with. */
export type CommandContext = {
  readonly server: ServerClient;
  readonly clock: Clock;
  /** IANA name of the zone that times without an offset are of. */
  readonly zone: string;
  readonly format: OutputFormat;
  readonly runAgent: RunAgentProgram;
  /** Asks whoever sits at the terminal; undefined where nobody does. */
  readonly confirm: ((question: string) => Promise<boolean>) | undefined;
  /** Tells something on the way, on stderr. */
  report(text: string): void;
};

export type CommandCall<T extends CommandFlags> = {
  readonly args: readonly string[];
  readonly flags: CommandValues<T>;
  readonly context: CommandContext;
};

/** A command of `realmwatch`. */
export type CliCommand = {
  /** The words it is called by: `downtime add`. */
  readonly path: string;
  /** The words that follow, as the help shows them: `[SELECTOR]`, `ID...`; without brackets they are needed. */
  readonly args: readonly string[];
  /** One sentence. */
  readonly summary: string;
  readonly flags: CommandFlags;
  /** Undefined where all has been printed already. */
  run(call: CommandCall<CommandFlags>): Promise<Result<CommandOutput | undefined, CommandFailure>>;
};

/** A command whose `run` sees its own flags by their types. */
export const cliCommand = <const T extends CommandFlags>(
  command: Omit<CliCommand, "flags" | "run"> & {
    readonly flags: T;
    run(call: CommandCall<T>): Promise<Result<CommandOutput | undefined, CommandFailure>>;
  },
): CliCommand => ({
  ...command,
  // The program reads exactly the flags that the command declares.
  run: (call) => command.run(call as CommandCall<T>),
});
