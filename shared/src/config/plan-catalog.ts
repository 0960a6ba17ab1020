import type { ObjectKind } from "../model/object-key.ts";
import type { PlanCatalog, RealmPlan } from "./plan.ts";

/** What readers may know of a plan beside its objects: nothing secret, no URL, address, key or command line. */
export function planCatalog(plan: RealmPlan): PlanCatalog {
  return {
    contacts: [...plan.contacts.values()].map(({ name, type, labels, notificationPeriod }) => ({
      name,
      type,
      labels,
      notificationPeriod,
      notificationsEnabled: true,
    })),
    views: plan.views,
    sinks: plan.sinks.map(({ name, type, input, selector }) => ({ name, type, input, selector })),
    panels: plan.panels.map(({ name, title, unit, selector }) => ({ name, title, unit, selector })),
    slos: plan.slos.map(({ name, selector, target, period }) => ({ name, selector, target, period })),
  };
}

/** How many objects of each kind a plan has. */
export function countObjects(plan: RealmPlan): Readonly<Record<ObjectKind, number>> {
  const counts = { host: 0, service: 0, process: 0 };
  for (const { key } of plan.objects.values()) counts[key.kind] += 1;
  return counts;
}
