import type { ContactPlan } from "@realmwatch/shared/config/plan";
import { chatWebhook } from "./chat-webhook.ts";
import { command } from "./command.ts";
import type { Attempt, ContactTools, ContactType, Handling, Message } from "./contact-type.ts";
import { email } from "./email.ts";
import { incident } from "./incident.ts";
import { messenger } from "./messenger.ts";
import { pager } from "./pager.ts";
import { webhook } from "./webhook.ts";

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
