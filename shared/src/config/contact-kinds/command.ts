import { nonEmptyString, string } from "../parser/scalars.ts";
import { list, required, withDefault } from "../parser/structs.ts";
import { contactKind, heartbeatField } from "./contact-kind.ts";

export const commandKind = contactKind({
  summary: "A line of `commands`, run once for each notification.",
  uses: "command",
  fields: {
    command: required(nonEmptyString, {
      help: "Command line to run.",
      example: "mail",
      constraint: "a key of `commands`",
    }),
    args: withDefault(list(string), [], {
      help: "Values of `$ARG1$`, `$ARG2$` and so on; macros in them are expanded.",
      example: ["$NOTIFICATIONTYPE$"],
      constraint: "only macros that exist",
    }),
    address: withDefault(string, "", { help: "Value of `$CONTACTEMAIL$`.", example: "ops@example.org" }),
    ...heartbeatField,
  },
  compile: ({ command, args, address, heartbeat }) => ({
    ...{ command, args, address },
    ...(heartbeat === undefined ? {} : { heartbeatMs: heartbeat.interval }),
  }),
});
