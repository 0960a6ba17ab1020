import { programVariants } from "../schema/program.ts";
import { checkKind } from "./check-kind.ts";

export type CommandSpec = { readonly type: "command"; readonly command: string; readonly args: readonly string[] };

export const commandCheckKind = checkKind({
  ...programVariants.command,
  compile({ command, args }, path, { validateCall }): CommandSpec {
    validateCall({ command, args }, path);
    return { type: "command", command, args };
  },
  target: ({ command, args }, expandCommand) => expandCommand(command, args),
});
