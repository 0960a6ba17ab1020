import { cliCommand } from "../cli-command.ts";
import { wrongUsage } from "../output/cli-failure.ts";
import { readTimeFlags } from "../parse/read-time.ts";
import { selectorFlag, sendToTarget } from "./target-command.ts";

export const acknowledgeCliCommand = cliCommand({
  path: "ack",
  args: ["[TARGET]"],
  summary: "Acknowledge the current problem of a host, a service, a process or a selection.",
  flags: {
    selector: selectorFlag,
    comment: { help: "Reason, or who works on the problem.", placeholder: "TEXT", required: true },
    sticky: { help: "Lasts until recovery; otherwise any change of status ends it." },
    notify: { help: "Send an acknowledgement notification to the recipients of the problem." },
    expires: { help: "Expiry: after a duration such as 4h, or at a time.", placeholder: "TIME" },
  },
  async run({ args: [word], flags, context }) {
    const times = readTimeFlags(["expires"], flags, context, "future");
    if (!times.ok) return wrongUsage(times.error);
    const { expires: expiresAt } = times.value;
    const { selector, sticky, notify, comment } = flags;
    return sendToTarget(
      "acknowledgeProblem",
      { word, selector, context },
      { sticky, notify, comment, ...(expiresAt && { expiresAt }) },
      (target) => `acknowledged ${target}`,
    );
  },
});

export const removeAcknowledgementCliCommand = cliCommand({
  path: "ack remove",
  args: ["[TARGET]"],
  summary: "Remove an acknowledgement.",
  flags: { selector: selectorFlag },
  run: ({ args: [word], flags: { selector }, context }) =>
    sendToTarget(
      "removeAcknowledgement",
      { word, selector, context },
      {},
      (target) => `${target}: no longer acknowledged`,
    ),
});
