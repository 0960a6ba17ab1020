import type { Because } from "@realmwatch/shared/model/notification";
import type { StepContext } from "../step-context.ts";
import { because, contactPeriod } from "./filters.ts";

/** What the contacts' own switches and calendars make of a message for `names`. */
export type Reach = {
  readonly reached: readonly string[];
  /** Those whose period is closed, with its opening, Unix ms; Infinity where it never opens. */
  readonly closed: readonly { readonly contact: string; readonly opensAtMs: number }[];
  /** Of the first who is not reached. */
  readonly because: Because | undefined;
};

/** [NO12, NO13] One sending reaches a contact once, however often it is named. */
export function reach(names: readonly string[], context: StepContext): Reach {
  const reached: string[] = [];
  const closed: { contact: string; opensAtMs: number }[] = [];
  let first: Because | undefined;
  for (const name of new Set(names)) {
    const contact = context.around.telling.contact(name);
    if (contact === undefined || !contact.on) {
      first ??= because("contact_off", name);
      continue;
    }
    const shut = contactPeriod(contact.period, context);
    if (shut === undefined) {
      reached.push(name);
      continue;
    }
    first ??= shut;
    closed.push({ contact: name, opensAtMs: shut.untilMs ?? Number.POSITIVE_INFINITY });
  }
  return { reached, closed, because: first };
}
