import { nonEmptyString } from "../parser/scalars.ts";
import { required } from "../parser/structs.ts";
import { digestContactKind } from "./contact-kind.ts";

export const messengerKind = digestContactKind({
  summary: "A message of the bot whose token is `-messenger-token`.",
  uses: "none",
  fields: {
    chat_id: required(nonEmptyString, { help: "Id of the chat.", example: "-1001234567890" }),
  },
  compile: ({ chat_id: chatId, group_wait: groupWaitMs }) => ({ chatId, groupWaitMs }),
});
