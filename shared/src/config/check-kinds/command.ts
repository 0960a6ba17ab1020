import { programVariants } from "../schema/program.ts";
import { checkKind } from "./check-kind.ts";

export type CommandSpec = { readonly type: "command"; readonly command: string; readonly args: readonly string[] };

export const commandCheckKind = checkKind({
  ...programVariants.command,
  compile({ command, args }, path, { requireCommand, validateArguments }): CommandSpec {
    requireCommand(command, [...path, "command"]);
    validateArguments({ command, args }, [...path, "args"]);
    return { type: "command", command, args };
  },
  target: ({ command, args }, expandCommand) => expandCommand(command, args),
});
