import { ok } from "@realmwatch/shared/model/result";
import { cliCommand } from "../../cli-command.ts";
import { wrongUsage } from "../../output/cli-failure.ts";
import { readTarget } from "../../parse/read-target.ts";
import { doneOutput, formatTarget, selectorFlag } from "../target-command.ts";

export const notifyCliCommand = cliCommand({
  path: "notify",
  args: ["[TARGET]"],
  summary: "Send a custom notification about objects to the contacts of their current escalation level.",
  flags: {
    selector: selectorFlag,
    comment: { help: "Text of the notification.", placeholder: "TEXT", required: true },
  },
  async run({ args: [word], flags: { selector, comment }, context }) {
    const target = readTarget(word, selector);
    if (!target.ok) return wrongUsage(target.error);
    const answer = await context.server.command("sendCustomNotification", { target: target.value, comment });
    return answer.ok ? ok(doneOutput(`custom notification about ${formatTarget(target.value)}`)) : answer;
  },
});
