import { isChecked, type ObjectPlan } from "@realmwatch/shared/config/plan";
import { type Phase, stateTypeOf, statusOf } from "./object-state.ts";

/**
 * [EH1] True when a result runs event handlers: each attempt of a soft problem, the change to hard, another hard
 * problem, and recovery from either. An unchanged hard problem and a first ok result do not run them.
 */
export function runsEventHandlers(plan: ObjectPlan, before: Phase, after: Phase): boolean {
  if (!isChecked(plan)) return false;
  if (after.kind === "soft") return true;
  if (after.kind === "hard") return before.kind !== "hard" || before.status !== after.status;
  return statusOf(after) === "ok" && (stateTypeOf(before) === "soft" || before.kind === "hard");
}
