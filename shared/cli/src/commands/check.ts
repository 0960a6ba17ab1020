import { cliCommand } from "../cli-command.ts";
import { selectorFlag, sendToTarget } from "./target-command.ts";

export const checkCliCommand = cliCommand({
  path: "check",
  args: ["[TARGET]"],
  summary: "Check objects now.",
  flags: { selector: selectorFlag },
  run: ({ args: [word], flags: { selector }, context }) =>
    sendToTarget("scheduleCheck", { word, selector, context }, {}, (target) => `checking ${target} now`),
});
