import { labelsField } from "../parser/names.ts";
import { duration } from "../parser/numbers.ts";
import type { ParserOutput } from "../parser/parser.ts";
import { nonEmptyString, string } from "../parser/scalars.ts";
import { list, map, required, variant, withDefault } from "../parser/structs.ts";

const everybody = {
  labels: labelsField({ help: "Labels of the contact.", example: { team: "shop" } }),
  notification_period: withDefault(string, "", {
    help: "When the contact may be told; empty: always. What comes outside waits for the opening.",
    example: "waking-hours",
    constraint: "a key of `timeperiods`",
  }),
};
const digested = {
  ...everybody,
  group_wait: withDefault(duration, 0, {
    help: "How long notifications are gathered into one message; `0s`: each goes at once.",
    example: "30s",
  }),
};

const contact = variant(
  "contact",
  {
    email: {
      summary: "A mail, sent through `-smtp-url`.",
      fields: { address: required(nonEmptyString, { help: "Who gets it.", example: "ann@example.org" }), ...digested },
    },
    webhook: {
      summary: "A POST with the notifications as JSON.",
      fields: {
        url: required(nonEmptyString, { help: "Where to.", example: "https://hooks.example.org/x" }),
        ...digested,
      },
    },
    command: {
      summary: "A line of `commands`, run once for each notification.",
      fields: {
        command: required(nonEmptyString, { help: "Which line.", example: "mail", constraint: "a key of `commands`" }),
        args: withDefault(list(string), [], {
          help: "Values of `$ARG1$`, `$ARG2$` and so on; macros in them are filled in.",
          example: ["$NOTIFICATIONTYPE$"],
          constraint: "only macros that exist",
        }),
        address: withDefault(string, "", { help: "Value of `$CONTACTEMAIL$`.", example: "ops@example.org" }),
        ...everybody,
      },
    },
    messenger: {
      summary: "A message of the bot whose token is `-messenger-token`.",
      fields: { chat_id: required(nonEmptyString, { help: "The chat.", example: "-1001234567890" }), ...digested },
    },
    pager: {
      summary: "An event for a paging service; the incident closes with the recovery.",
      fields: {
        routing_key: required(nonEmptyString, {
          help: "Routing key of the service's events API; as good as a password.",
          example: "0123456789abcdef0123456789abcdef",
        }),
        ...everybody,
      },
    },
    chat_webhook: {
      summary: "A message into a chat room.",
      fields: {
        webhook_url: required(nonEmptyString, {
          help: "The room's incoming webhook; as good as a password.",
          example: "https://chat.example.org/hooks/abc",
        }),
        ...digested,
      },
    },
    incident: {
      summary: "An alert for an incident service, with `-incident-token`.",
      fields: {
        alert_source_config_id: required(nonEmptyString, { help: "The alert source.", example: "01HX5Z3T8K" }),
        ...everybody,
      },
    },
  },
  {
    title: "Contact",
    intro: `Somebody, or something, that can be told. Tokens and passwords of whole services are flags of the agent; the
document holds only what belongs to one contact.`,
    example: `hosts: {}
contacts: {
	ann: {type: "email", address: "ann@example.org", group_wait: "30s"}
	"on call": {type: "pager", routing_key: "0123456789abcdef0123456789abcdef", labels: team: "shop"}
}
notifications: shop: levels: [{contacts: ["ann", "on call"]}]`,
  },
);

export const contactsParser = map(contact);
export type ContactDocument = NonNullable<ParserOutput<typeof contact>>;
