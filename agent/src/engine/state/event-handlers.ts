import { isChecked, type ObjectPlan } from "@realmwatch/shared/config/plan";
import type { Phase } from "./attempts.ts";
import { stateTypeOf, statusOf } from "./attempts.ts";

/**
 * [EH1] Whether a result is worth an event handler: each attempt of a soft problem, the turn to hard, another hard
 * problem, and recovery from either. A problem that only goes on is not, and neither is the first good result.
 */
export function runsEventHandlers(plan: ObjectPlan, before: Phase, after: Phase): boolean {
  if (!isChecked(plan)) return false;
  if (after.kind === "soft") return true;
  if (after.kind === "hard") return before.kind !== "hard" || before.status !== after.status;
  return statusOf(after) === "ok" && (stateTypeOf(before) === "soft" || before.kind === "hard");
}
