import { ok } from "@realmwatch/shared/model/result";
import { cliCommand } from "../cli-command.ts";
import { wrongUsage } from "../output/cli-failure.ts";
import { readTarget } from "../parse/read-target.ts";
import { doneOutput, formatTarget, selectorFlag } from "./target-command.ts";

export const checkCliCommand = cliCommand({
  path: "check",
  args: ["[TARGET]"],
  summary: "Check objects now.",
  flags: { selector: selectorFlag },
  async run({ args: [word], flags, context }) {
    const target = readTarget(word, flags.selector);
    if (!target.ok) return wrongUsage(target.error);
    const answer = await context.server.command("scheduleCheck", { target: target.value });
    return answer.ok ? ok(doneOutput(`checking ${formatTarget(target.value)} now`)) : answer;
  },
});
