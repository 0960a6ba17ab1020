import { ok } from "@realmwatch/shared/model/result";
import { cliCommand } from "../../cli-command.ts";
import { wrongUsage } from "../../output/cli-failure.ts";
import { completionScript, completionShells } from "./completion-script.ts";

export const completionCliCommand = cliCommand({
  path: "completion",
  args: ["bash|zsh|fish"],
  summary: "Print a script that completes commands, flags and names of objects in bash, zsh or fish.",
  flags: {},
  async run({ args: [word = ""], context: { commandTree } }) {
    const shell = completionShells.find((known) => known === word);
    if (shell === undefined) return wrongUsage(`${JSON.stringify(word)} is not one of ${completionShells.join(", ")}`);
    const script = completionScript(shell, {
      words: commandTree.words(),
      values: commandTree.values(),
      objectCommands: commandTree.objectCommands(),
    });
    return ok({ json: { shell, script }, text: () => script, ids: [] });
  },
});
