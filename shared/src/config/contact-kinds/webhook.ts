import { nonEmptyString } from "../parser/scalars.ts";
import { required } from "../parser/structs.ts";
import { digestContactKind } from "./contact-kind.ts";

export const webhookKind = digestContactKind({
  summary: "A POST request with the notifications as JSON.",
  fields: {
    url: required(nonEmptyString, { help: "URL of the receiver.", example: "https://hooks.example.org/x" }),
  },
  compile: ({ url, group_wait: groupWaitMs }) => ({ url, groupWaitMs }),
});
