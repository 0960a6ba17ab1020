import type { RealmPlan } from "@realmwatch/shared/config/plan";
import { countConfigObjects } from "@realmwatch/shared/config/plan-catalog";
import type { PortPlan } from "../port/port-contract.ts";

/** The parts of a plan that the port needs. */
export function portPlanOf(plan: RealmPlan): PortPlan {
  const { hash, timeperiods, slos, datasources, panels, receivers, availabilityRangeMs } = plan;
  const entries = countConfigObjects(plan);
  return { hash, timeperiods, slos, datasources, panels, receivers, availabilityRangeMs, entries };
}
