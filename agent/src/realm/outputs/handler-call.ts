import { type HostPlan, isChecked, type ServicePlan } from "@realmwatch/shared/config/plan";
import { hostPlanOf, macroValues } from "./macro-values.ts";
import type { ObjectRecord } from "../state/object-record.ts";
import type { RealmState } from "../state/realm-state.ts";

/** Handlers to run for what happened to an object, with the object as it was then. */
export type HandlerCall = {
  readonly plan: HostPlan | ServicePlan;
  /** The object itself, or the service's host. */
  readonly host: HostPlan;
  /** Keys of `handlers`: the realm's own first, then the object's. */
  readonly names: readonly string[];
  /** Values of the macros that are state, by name without dollars. */
  readonly macros: Readonly<Record<string, string>>;
  readonly atMs: number;
};

/** [EH2, EH3] What runs for an object now; undefined where nothing is configured or it is switched off. */
export function handlerCallOf(realm: RealmState, record: ObjectRecord, atMs: number): HandlerCall | undefined {
  const { plan, state } = record;
  const { eventHandlers } = realm.plan;
  const on = eventHandlers.enabled && realm.program.toggles.eventHandlers && state.toggles.eventHandler;
  if (!on || !isChecked(plan) || !plan.handlerEnabled) return undefined;
  const common = plan.key.kind === "host" ? eventHandlers.host : eventHandlers.service;
  const names = [common, plan.handler].filter((name) => name !== "");
  const host = hostPlanOf(realm, record);
  if (names.length === 0 || host === undefined) return undefined;
  return { plan, host, names, macros: macroValues(realm, record, atMs), atMs };
}
