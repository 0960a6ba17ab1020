import { isChecked } from "@realmwatch/shared/config/plan";
import type { HandlerCall } from "../../handlers/handler-queue.ts";
import type { ReadonlyRecord, RealmReader } from "../state/realm-reader.ts";
import { hostPlanOf, macroValues } from "./macro-values.ts";

/** [EH2, EH3] Event handlers to run for an object now; undefined when none is configured or they are off. */
export function handlerCallOf(realm: RealmReader, record: ReadonlyRecord, atMs: number): HandlerCall | undefined {
  const { plan, state } = record;
  const { eventHandlers } = realm.plan;
  const on = eventHandlers.enabled && realm.program.toggles.eventHandlers && state.toggles.eventHandler;
  if (!on || !isChecked(plan) || !plan.handlerEnabled) return undefined;
  const common = plan.key.kind === "host" ? eventHandlers.host : eventHandlers.service;
  const names = [common, plan.handler].filter((name) => name !== "");
  const host = hostPlanOf(realm, record);
  if (names.length === 0 || host === undefined) return undefined;
  return { plan, host, names, macros: macroValues(realm, record, atMs) };
}
