import { declareCommand, toObjects } from "./command-kind.ts";
import { lineCommands, targetLines } from "./command-line.ts";
import { parseTargeted } from "./resolve-target.ts";

type SendCustomNotification = { readonly refs: readonly string[]; readonly comment: string };

export const sendCustomNotificationCommand = declareCommand("sendCustomNotification", {
  kind: "send_custom_notification",
  words: {
    action: "Notify",
    noun: "custom notification",
    fields: { comment: "Text of the notification." },
    onTarget: {
      path: "notify",
      summary: "Send a custom notification about objects to the contacts of their current escalation level.",
      done: (target) => `custom notification about ${target}`,
    },
  },
  parse: ({ target, comment }, { realm }) => parseTargeted(realm, target, (refs) => ({ refs, comment })),
  effects: ({ refs, comment }: SendCustomNotification, { by }) =>
    toObjects(refs, { kind: "custom_notification", comment, by }),
  lines: targetLines(
    { host: "SEND_CUSTOM_HOST_NOTIFICATION", service: "SEND_CUSTOM_SVC_NOTIFICATION" },
    ["options", "author", "comment"],
    (refs, { author, comment }) => lineCommands([{ refs, comment }], author),
  ),
});
