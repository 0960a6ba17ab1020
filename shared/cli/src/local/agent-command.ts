import { type CliCommand, cliCommand } from "../cli-command.ts";
import { localResult, runFormatted } from "./local-result.ts";

type AgentCommand = Omit<CliCommand, "run"> & {
  /** Sub-command of the agent's program, which has the same flags and then the same arguments. */
  readonly program: string;
  /** True when the sub-command prints a table or JSON. Default: its text is printed in every format. */
  readonly isFormatted?: true;
};

/** Declares a command that a sub-command of the agent's program executes on this machine. */
export const agentCommand = ({ program, isFormatted, ...command }: AgentCommand): CliCommand =>
  cliCommand({
    ...command,
    run: async ({ args, flags, context }) => {
      const run = { args: [program, ...givenFlags(flags), ...args] };
      return isFormatted ? runFormatted(context, run) : localResult(await context.runAgent(run));
    },
  });

/** Formats the given flags for the agent's program; it applies its own defaults to the others. */
export const givenFlags = (values: Readonly<Record<string, string | boolean | undefined>>): string[] =>
  Object.entries(values).flatMap(([name, value]) => {
    if (value === undefined || value === false) return [];
    return [value === true ? `-${name}` : `-${name}=${value}`];
  });
