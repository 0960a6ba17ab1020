import type { ContactPlan } from "@realmwatch/shared/config/plan";
import { chatWebhook } from "./types/chat-webhook.ts";
import { command } from "./types/command.ts";
import type { Attempt, ContactTools, ContactType, Handling, Message } from "./contact-type.ts";
import { email } from "./types/email.ts";
import { incident } from "./types/incident.ts";
import { messenger } from "./types/messenger.ts";
import { pager } from "./types/pager.ts";
import { webhook } from "./types/webhook.ts";

/** Every contact type by its name. Leaving one out, or filing it under another's name, does not compile. */
export const contactTypes = {
  email,
  webhook,
  command,
  messenger,
  pager,
  chat_webhook: chatWebhook,
  incident,
} satisfies { [T in ContactPlan["type"]]: ContactType<T> };

export const handlingOf = (type: ContactPlan["type"]): Handling => contactTypes[type];

/** One attempt to tell a contact. */
export function sendTo(
  contact: ContactPlan,
  message: Message,
  tools: ContactTools,
  signal: AbortSignal,
): Promise<Attempt> {
  // The map pairs each type with its plan, which the compiler cannot follow through an index.
  const type = contactTypes[contact.type] as ContactType<ContactPlan["type"]>;
  return type.send(contact, message, tools, signal);
}
