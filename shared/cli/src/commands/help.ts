import { ok } from "@realmwatch/shared/model/result";
import { cliCommand } from "../cli-command.ts";
import { wrongUsage } from "../output/cli-failure.ts";

export const helpCliCommand = cliCommand({
  path: "help",
  args: ["[COMMAND...]"],
  summary: "Print the help of the program or of a command.",
  flags: {},
  async run({ args, context }) {
    const help = context.commandTree.help(args);
    if (!help.ok) return wrongUsage(help.error);
    return ok({ json: { help: help.value }, text: () => help.value, ids: [] });
  },
});
