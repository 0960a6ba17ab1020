import { nonEmptyString } from "../parser/scalars.ts";
import { required } from "../parser/structs.ts";
import { digestContactKind, heartbeatField } from "./contact-kind.ts";

export const webhookKind = digestContactKind({
  summary: "A POST request with the notifications as JSON.",
  uses: "none",
  fields: {
    url: required(nonEmptyString, {
      help: "URL of the receiver.",
      example: "https://hooks.example.org/x",
      secret: true,
    }),
    ...heartbeatField,
  },
  compile: ({ url, group_wait: groupWaitMs, heartbeat }) => ({
    ...{ url, groupWaitMs },
    ...(heartbeat === undefined ? {} : { heartbeatMs: heartbeat.interval }),
  }),
});
