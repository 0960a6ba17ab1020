import type { NotificationDecision } from "@realmwatch/shared/model/notification";
import type { StepContext } from "../step-context.ts";
import { contactPeriodDecision } from "./filters.ts";
import { notificationDecision } from "./notification-decision.ts";

/** Contacts of a notification, divided by their own toggles and periods. */
type RecipientSelection = {
  readonly reachable: readonly string[];
  /** Contacts whose period is closed, with its next opening, Unix ms; Infinity when it never opens. */
  readonly outsidePeriod: readonly { readonly contact: string; readonly opensAtMs: number }[];
  /** Decision on the first contact that is not reachable; undefined when all are. */
  readonly decision: NotificationDecision | undefined;
};

/** [NO12, NO13] Selects the reachable contacts of `names`, each once. */
export function selectRecipients(names: readonly string[], context: StepContext): RecipientSelection {
  const reachable: string[] = [];
  const outsidePeriod: { contact: string; opensAtMs: number }[] = [];
  let first: NotificationDecision | undefined;
  for (const name of new Set(names)) {
    const contact = context.objectContext.routing.contact(name);
    if (contact === undefined || !contact.on) {
      first ??= notificationDecision("contact_off", name, contact?.offUntilMs);
      continue;
    }
    const closed = contactPeriodDecision(contact.period, context);
    if (closed === undefined) {
      reachable.push(name);
      continue;
    }
    first ??= closed;
    outsidePeriod.push({ contact: name, opensAtMs: closed.untilMs ?? Number.POSITIVE_INFINITY });
  }
  return { reachable, outsidePeriod, decision: first };
}
