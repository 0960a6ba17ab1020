import { nonEmptyString } from "../parser/scalars.ts";
import { required } from "../parser/structs.ts";
import { digestContactKind } from "./contact-kind.ts";

export const chatWebhookKind = digestContactKind({
  summary: "A message into a chat room.",
  uses: "none",
  fields: {
    webhook_url: required(nonEmptyString, {
      help: "Incoming webhook of the room; as secret as a password.",
      example: "https://chat.example.org/hooks/abc",
      secret: true,
    }),
  },
  compile: ({ webhook_url: webhookUrl, group_wait: groupWaitMs }) => ({ webhookUrl, groupWaitMs }),
});
