import { duration } from "../parser/numbers.ts";
import { labels } from "../parser/names.ts";
import type { Read } from "../parser/parser.ts";
import { list, map, optional, required, variant } from "../parser/structs.ts";
import { filled, text } from "../parser/strings.ts";

const everybody = {
  labels: labels({ help: "Labels of the contact.", example: { team: "shop" } }),
  notification_period: optional(text, "", {
    help: "When the contact may be told; empty: always. What comes outside waits for the opening.",
    example: "waking-hours",
    constraint: "a key of `timeperiods`",
  }),
};
const digested = {
  ...everybody,
  group_wait: optional(duration, 0, {
    help: "How long notifications are gathered into one message; `0s`: each goes at once.",
    example: "30s",
  }),
};

const contact = variant(
  "contact",
  {
    email: {
      about: "A mail, sent through `-smtp-url`.",
      fields: { address: required(filled, { help: "Who gets it.", example: "ann@example.org" }), ...digested },
    },
    webhook: {
      about: "A POST with the notifications as JSON.",
      fields: { url: required(filled, { help: "Where to.", example: "https://hooks.example.org/x" }), ...digested },
    },
    command: {
      about: "A line of `commands`, run once for each notification.",
      fields: {
        command: required(filled, { help: "Which line.", example: "mail", constraint: "a key of `commands`" }),
        args: optional(list(text), [], {
          help: "Values of `$ARG1$`, `$ARG2$` and so on; macros in them are filled in.",
          example: ["$NOTIFICATIONTYPE$"],
          constraint: "only macros that exist",
        }),
        address: optional(text, "", { help: "Value of `$CONTACTEMAIL$`.", example: "ops@example.org" }),
        ...everybody,
      },
    },
    messenger: {
      about: "A message of the bot whose token is `-messenger-token`.",
      fields: { chat_id: required(filled, { help: "The chat.", example: "-1001234567890" }), ...digested },
    },
    pager: {
      about: "An event for a paging service; the incident closes with the recovery.",
      fields: {
        routing_key: required(filled, {
          help: "Routing key of the service's events API; as good as a password.",
          example: "0123456789abcdef0123456789abcdef",
        }),
        ...everybody,
      },
    },
    chat_webhook: {
      about: "A message into a chat room.",
      fields: {
        webhook_url: required(filled, {
          help: "The room's incoming webhook; as good as a password.",
          example: "https://chat.example.org/hooks/abc",
        }),
        ...digested,
      },
    },
    incident: {
      about: "An alert for an incident service, with `-incident-token`.",
      fields: {
        alert_source_config_id: required(filled, { help: "The alert source.", example: "01HX5Z3T8K" }),
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

export const contacts = map(contact);
export type ContactDocument = NonNullable<Read<typeof contact>>;
