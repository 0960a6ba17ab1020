import type { ContactPlan } from "@realmwatch/shared/config/plan";
import { type AttemptResult, reject } from "../platform/outbound/delivery-result.ts";
import type { ContactMessage } from "./contact-message.ts";
import type { ContactDependencies, ContactType, HeartbeatMessage } from "./contact-type.ts";
import { chatWebhookContact } from "./types/chat-webhook.ts";
import { commandContact } from "./types/command.ts";
import { emailContact } from "./types/email.ts";
import { incidentContact } from "./types/incident.ts";
import { messengerContact } from "./types/messenger.ts";
import { pagerContact } from "./types/pager.ts";
import { webhookContact } from "./types/webhook.ts";

/** Every contact type by its name. A missing entry, or one under the name of another type, does not compile. */
export const contactTypes = {
  email: emailContact,
  webhook: webhookContact,
  command: commandContact,
  messenger: messengerContact,
  pager: pagerContact,
  chat_webhook: chatWebhookContact,
  incident: incidentContact,
} satisfies { [T in ContactPlan["type"]]: ContactType<T> };

/** Longest duration of one attempt to deliver to a contact of this type, ms. */
export const attemptDeadlineMs = (type: ContactPlan["type"]): number => contactTypes[type].deadlineMs;

/** Makes one delivery attempt. Never rejects. */
export function sendToContact(
  contact: ContactPlan,
  message: ContactMessage,
  dependencies: ContactDependencies,
  signal: AbortSignal,
): Promise<AttemptResult> {
  // The map pairs each type with its plan, which the compiler cannot follow through an index.
  const type = contactTypes[contact.type] as ContactType<ContactPlan["type"]>;
  return type.send(contact, message, dependencies, signal);
}

/** Makes one attempt to send a heartbeat. Never rejects. */
export async function sendHeartbeatToContact(
  contact: ContactPlan,
  heartbeat: HeartbeatMessage,
  dependencies: ContactDependencies,
  signal: AbortSignal,
): Promise<AttemptResult> {
  const type = contactTypes[contact.type] as ContactType<ContactPlan["type"]>;
  if (type.sendHeartbeat === undefined) return reject("setup", `contacts of type ${contact.type} have no heartbeats`);
  return type.sendHeartbeat(contact, heartbeat, dependencies, signal);
}
