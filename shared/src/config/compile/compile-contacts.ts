import { type ContactDocument, compileContactKind } from "../contact-kinds/contact-kinds.ts";
import type { ContactPlan, PolicyPlan } from "../plan.ts";
import { validateArguments } from "./compile-commands.ts";
import { type CompileContext, requireDeclared } from "./compile-context.ts";

export function compileContacts(c: CompileContext): ReadonlyMap<string, ContactPlan> {
  const plans = new Map<string, ContactPlan>();
  for (const [name, contact] of c.document.contacts) {
    if (contact === undefined) continue;
    requireDeclared(c, "timeperiods", contact.notification_period, ["contacts", name, "notification_period"]);
    if (contact.type === "command") {
      requireDeclared(c, "commands", contact.command, ["contacts", name, "command"]);
      validateArguments(contact.args, ["contacts", name, "args"], c);
    }
    plans.set(name, contactPlan(name, contact));
  }
  return plans;
}

function contactPlan(name: string, contact: ContactDocument): ContactPlan {
  const { labels, notification_period: notificationPeriod } = contact;
  return { name, labels, notificationPeriod, ...compileContactKind(contact) };
}

export function compilePolicies(c: CompileContext): ReadonlyMap<string, PolicyPlan> {
  const plans = new Map<string, PolicyPlan>();
  for (const [name, { period, levels }] of c.document.notifications) {
    const path = ["notifications", name];
    requireDeclared(c, "timeperiods", period, [...path, "period"]);
    const compiled = levels.map((level, i) => {
      const at = [...path, "levels", i];
      requireDeclared(c, "timeperiods", level.period, [...at, "period"]);
      for (const [k, contact] of level.contacts.entries())
        requireDeclared(c, "contacts", contact, [...at, "contacts", k]);
      return {
        contacts: [...new Set(level.contacts)],
        threshold: level.threshold,
        renotifyIntervalMs: level.renotify_interval,
        disabledKinds: [...new Set(level.disabled_kinds)],
        period: level.period,
      };
    });
    plans.set(name, { period, levels: compiled });
  }
  return plans;
}
