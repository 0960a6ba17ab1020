import { cliCommand } from "../../cli-command.ts";
import { selectorFlag, sendToTarget } from "../target-command.ts";

export const notifyCliCommand = cliCommand({
  path: "notify",
  args: ["[TARGET]"],
  summary: "Send a custom notification about objects to the contacts of their current escalation level.",
  flags: {
    selector: selectorFlag,
    comment: { help: "Text of the notification.", placeholder: "TEXT", required: true },
  },
  run: ({ args: [word], flags: { selector, comment }, context }) =>
    sendToTarget(
      "sendCustomNotification",
      { word, selector, context },
      { comment },
      (target) => `custom notification about ${target}`,
    ),
});
