import type { StructOutput } from "../parser/structs.ts";
import { chatWebhookKind } from "./chat-webhook.ts";
import { commandKind } from "./command.ts";
import { emailKind } from "./email.ts";
import { incidentKind } from "./incident.ts";
import { messengerKind } from "./messenger.ts";
import { pagerKind } from "./pager.ts";
import { webhookKind } from "./webhook.ts";

/** Every contact kind by the name that a document gives as `type`. Schema, reference and plans follow from this map. */
export const contactKinds = {
  email: emailKind,
  webhook: webhookKind,
  command: commandKind,
  messenger: messengerKind,
  pager: pagerKind,
  chat_webhook: chatWebhookKind,
  incident: incidentKind,
};

type ContactKindName = keyof typeof contactKinds;

/** Contact as the document has it, labels and period included. */
export type ContactDocument = {
  [T in ContactKindName]: StructOutput<(typeof contactKinds)[T]["fields"]> & { readonly type: T };
}[ContactKindName];

/** Part of a contact's plan that depends on its kind. */
export type ContactKindPlan = {
  [T in ContactKindName]: Readonly<ReturnType<(typeof contactKinds)[T]["compile"]>> & { readonly type: T };
}[ContactKindName];

/** Compiles the part of a contact's plan that depends on its kind. */
export function compileContactKind(contact: ContactDocument): ContactKindPlan {
  // The map pairs each kind with its document, which the compiler cannot follow through an index.
  const compile = contactKinds[contact.type].compile as (contact: ContactDocument) => object;
  return { type: contact.type, ...compile(contact) } as ContactKindPlan;
}
