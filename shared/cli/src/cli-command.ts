import type { Clock } from "@realmwatch/shared/model/clock";
import type { Result } from "@realmwatch/shared/model/result";
import type { Answer, Format } from "./answer.ts";
import type { Failure } from "./failure.ts";
import type { RunAgent } from "./run-agent.ts";
import type { Server } from "./server.ts";

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
export type Desk = {
  readonly server: Server;
  readonly clock: Clock;
  /** IANA name of the zone that times without an offset are of. */
  readonly zone: string;
  readonly format: Format;
  readonly runAgent: RunAgent;
  /** Asks whoever sits at the terminal; undefined where nobody does. */
  readonly confirm: ((question: string) => Promise<boolean>) | undefined;
  /** Tells something on the way, on stderr. */
  tell(text: string): void;
};

export type Call<T extends CommandFlags> = {
  readonly words: readonly string[];
  readonly flags: CommandValues<T>;
  readonly desk: Desk;
};

/** A command of `realmwatch`. */
export type CliCommand = {
  /** The words it is called by: `downtime add`. */
  readonly path: string;
  /** The words that follow, as the help shows them: `[SELECTOR]`, `ID...`; without brackets they are needed. */
  readonly words: readonly string[];
  /** One sentence. */
  readonly about: string;
  readonly flags: CommandFlags;
  /** Undefined where all has been printed already. */
  run(call: Call<CommandFlags>): Promise<Result<Answer | undefined, Failure>>;
};

/** A command whose `run` sees its own flags by their types. */
export const cliCommand = <const T extends CommandFlags>(
  command: Omit<CliCommand, "flags" | "run"> & {
    readonly flags: T;
    run(call: Call<T>): Promise<Result<Answer | undefined, Failure>>;
  },
): CliCommand => ({
  ...command,
  // The program reads exactly the flags that the command declares.
  run: (call) => command.run(call as Call<T>),
});
