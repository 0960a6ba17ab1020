import { notificationKinds } from "../words/notification.ts";
import { duration, integer } from "./numbers.ts";
import { labels } from "./object-names.ts";
import { filled, list, map, optional, type Read, required, struct, text, variant, word } from "./shape.ts";

const everybody = { labels, notification_period: optional(text, "") };
const digested = { ...everybody, group_wait: optional(duration, 0) };

const contact = variant("contact", {
  email: { address: required(filled), ...digested },
  webhook: { url: required(filled), ...digested },
  command: { command: required(filled), args: optional(list(text), []), address: optional(text, ""), ...everybody },
  messenger: { chat_id: required(filled), ...digested },
  pager: { routing_key: required(filled), ...everybody },
  chat_webhook: { webhook_url: required(filled), ...digested },
  incident: { alert_source_config_id: required(filled), ...everybody },
});

const level = struct({
  contacts: required(list(text, { filled: true })),
  threshold: optional(integer({ min: 0 }), 0),
  renotify_interval: optional(duration, 3_600_000),
  disabled_kinds: optional(list(word(notificationKinds)), []),
  period: optional(text, ""),
});
const policy = struct({ period: optional(text, ""), levels: required(list(level, { filled: true })) });

export const contacts = optional(map(contact), new Map());
export const notifications = optional(map(policy), new Map());
export type ContactDocument = NonNullable<Read<typeof contact>>;
export type PolicyDocument = Read<typeof policy>;
