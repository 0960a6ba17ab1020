import { type ContactDocument, contactKinds } from "../contact-kinds/contact-kinds.ts";
import { namedStatuses } from "../parser/status-names.ts";
import { compileVariant } from "../parser/structs.ts";
import type { ContactPlan, FallbackPlan, PolicyPlan } from "../plan.ts";
import { validateCall } from "./compile-commands.ts";
import { type CompileContext, limitLabels, reportCycles, requireDeclared } from "./compile-context.ts";

export function compileContacts(c: CompileContext): ReadonlyMap<string, ContactPlan> {
  const plans = new Map<string, ContactPlan>();
  for (const [name, contact] of c.document.contacts) {
    if (contact === undefined) continue;
    limitLabels(c, ["contacts", name], contact.labels);
    requireDeclared(c, "timeperiods", contact.notification_period, ["contacts", name, "notification_period"]);
    requireDeclared(c, "contacts", contact.fallback, ["contacts", name, "fallback"]);
    if (contact.type === "command") validateCall(c, contact, ["contacts", name]);
    plans.set(name, contactPlan(name, contact));
  }
  reportFallbackCycles(c);
  return plans;
}

/** [DL21] Reports contacts that are their own fallback, directly or over others. */
function reportFallbackCycles(c: CompileContext): void {
  const edges = [...c.document.contacts].map(([name, contact]) => {
    const to = contact?.fallback ?? "";
    return [name, to === "" ? [] : [{ to, path: ["contacts", name, "fallback"] }]] as const;
  });
  reportCycles(c, new Map(edges));
}

function contactPlan(name: string, contact: ContactDocument): ContactPlan {
  const { labels, notification_period: notificationPeriod } = contact;
  const statuses = contact.statuses && { statuses: namedStatuses(contact.statuses) };
  const fallback = contact.fallback === "" ? {} : { fallback: fallbackPlan(contact) };
  return { name, labels, notificationPeriod, ...statuses, ...fallback, ...compileVariant(contactKinds, contact) };
}

const fallbackPlan = ({ fallback, fallback_after: afterMs }: ContactDocument): FallbackPlan => ({
  contact: fallback,
  afterMs,
});

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
        statuses: namedStatuses(level.statuses),
        period: level.period,
      };
    });
    plans.set(name, { period, levels: compiled });
  }
  return plans;
}
