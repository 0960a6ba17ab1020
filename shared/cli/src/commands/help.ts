import { ok } from "@realmwatch/shared/model/result";
import { cliCommand } from "../cli-command.ts";
import { wrongUsage } from "../output/cli-failure.ts";

export const helpCliCommand = cliCommand({
  path: "help",
  args: ["[COMMAND...]"],
  summary: "Print the help of the program or of a command.",
  flags: { all: { help: "Print the help of the program and of all its commands." } },
  async run({ args, flags: { all }, context: { commandTree } }) {
    if (all && args.length > 0) return wrongUsage("-all prints the help of all commands: name none");
    const paths = all ? [...commandTree.words().keys()].map((path) => path.split(" ").filter(Boolean)) : [args];
    const texts: string[] = [];
    for (const path of paths) {
      const help = commandTree.help(path);
      if (!help.ok) return wrongUsage(help.error);
      texts.push(help.value);
    }
    const help = texts.join("\n");
    return ok({ json: { help }, text: () => help, ids: [] });
  },
});
