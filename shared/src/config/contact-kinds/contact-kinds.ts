import type { VariantOutput, VariantPlan } from "../parser/structs.ts";
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

/** Contact as the document has it, labels and period included. */
export type ContactDocument = VariantOutput<typeof contactKinds>;
/** Part of a contact's plan that depends on its kind. */
export type ContactKindPlan = VariantPlan<typeof contactKinds>;
