import type { NotificationDecision } from "@realmwatch/shared/model/notification";
import type { StepContext } from "../step-context.ts";
import { contactPeriodDecision } from "./filters.ts";
import { notificationDecision } from "./notification-decision.ts";

/** What the contacts' own switches and calendars make of a message for `names`. */
export type RecipientSelection = {
  readonly reachable: readonly string[];
  /** Those whose period is closed, with its opening, Unix ms; Infinity where it never opens. */
  readonly outsidePeriod: readonly { readonly contact: string; readonly opensAtMs: number }[];
  /** Of the first who is not reached. */
  readonly decision: NotificationDecision | undefined;
};

/** [NO12, NO13] One sending reaches a contact once, however often it is named. */
export function selectRecipients(names: readonly string[], context: StepContext): RecipientSelection {
  const reached: string[] = [];
  const closed: { contact: string; opensAtMs: number }[] = [];
  let first: NotificationDecision | undefined;
  for (const name of new Set(names)) {
    const contact = context.objectContext.routing.contact(name);
    if (contact === undefined || !contact.on) {
      first ??= notificationDecision("contact_off", name);
      continue;
    }
    const shut = contactPeriodDecision(contact.period, context);
    if (shut === undefined) {
      reached.push(name);
      continue;
    }
    first ??= shut;
    closed.push({ contact: name, opensAtMs: shut.untilMs ?? Number.POSITIVE_INFINITY });
  }
  return { reachable, outsidePeriod, decision: first };
}
