import type { ContactPlan } from "@realmwatch/shared/config/plan";
import type { AttemptResult } from "./attempt-result.ts";
import type { ContactMessage } from "./contact-message.ts";
import type { ContactDependencies, ContactType, Handling } from "./contact-type.ts";
import { chatWebhookContact } from "./types/chat-webhook.ts";
import { commandContact } from "./types/command.ts";
import { emailContact } from "./types/email.ts";
import { incidentContact } from "./types/incident.ts";
import { messengerContact } from "./types/messenger.ts";
import { pagerContact } from "./types/pager.ts";
import { webhookContact } from "./types/webhook.ts";

/** Every contact type by its name. Leaving one out, or filing it under another's name, does not compile. */
export const contactTypes = {
  emailContact,
  webhookContact,
  commandContact,
  messengerContact,
  pagerContact,
  chat_webhook: chatWebhookContact,
  incidentContact,
} satisfies { [T in ContactPlan["type"]]: ContactType<T> };

export const handlingOf = (type: ContactPlan["type"]): Handling => contactTypes[type];

/** One attempt to tell a contact. */
export function sendToContact(
  contact: ContactPlan,
  message: ContactMessage,
  tools: ContactDependencies,
  signal: AbortSignal,
): Promise<AttemptResult> {
  // The map pairs each type with its plan, which the compiler cannot follow through an index.
  const type = contactTypes[contact.type] as ContactType<ContactPlan["type"]>;
  return type.send(contact, message, tools, signal);
}
