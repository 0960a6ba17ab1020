import { muteView, noDeliveries } from "../model/catalog.ts";
import type { ObjectKind } from "../model/object-key.ts";
import type { PlanCatalog, RealmPlan } from "./plan.ts";

/** Part of a plan that API clients may see: no secrets, URLs, addresses, keys or command lines. */
export function planCatalog(plan: RealmPlan): PlanCatalog {
  return {
    contacts: [...plan.contacts.values()].map(({ name, type, labels, notificationPeriod }) => ({
      name,
      type,
      labels,
      notificationPeriod,
      ...muteView(undefined),
      remaining: undefined,
      ...noDeliveries,
    })),
    views: plan.views.map((view) => ({ ...view, saved: false, author: "" })),
    sinks: plan.sinks.map(({ name, type, input, selector }) => ({ name, type, input, selector })),
    panels: plan.panels.map(({ name, title, unit, selector }) => ({ name, title, unit, selector })),
    slos: plan.slos.map(({ name, selector, target, period }) => ({ name, selector, target, period })),
  };
}

/** Number of objects of each kind. */
export function countObjects(plan: RealmPlan): Readonly<Record<ObjectKind, number>> {
  const counts = { host: 0, service: 0, process: 0 };
  for (const { key } of plan.objects.values()) counts[key.kind] += 1;
  return counts;
}

/** Number of entries of a configuration by kind. */
export const countConfigObjects = (plan: RealmPlan): Readonly<Record<string, number>> => ({
  ...countObjects(plan),
  command: Object.keys(plan.commands).length,
  contact: plan.contacts.size,
  notification: plan.policies.size,
  timeperiod: plan.timeperiods.size,
  downtime: plan.recurringDowntimes.length,
  dependency: plan.dependencies.length,
  handler: plan.handlers.size,
  sink: plan.sinks.length,
  datasource: plan.datasources.length,
  panel: plan.panels.length,
  receiver: plan.receivers.length,
  view: plan.views.length,
  slo: plan.slos.length,
});
