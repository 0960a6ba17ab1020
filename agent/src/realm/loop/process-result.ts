import type { ProcessPlan } from "@realmwatch/shared/config/plan";
import { statusOf } from "../../engine/state/attempts.ts";
import { evaluateRule, describeInputs } from "../../engine/processes/business-process.ts";
import type { CheckResult } from "../../engine/input.ts";
import type { ObjectState } from "../../engine/state/object-state.ts";
import { derivedResult } from "../../engine/state/derived-result.ts";
import type { RealmState } from "../state/realm-state.ts";

/**
 * What a process' rule says of its inputs as they are now, as a result for the engine. Undefined where that is nothing
 * new, or where not enough of them are known yet.
 */
export function evaluateProcess(
  realm: RealmState,
  { plan, state }: { readonly plan: ProcessPlan; readonly state: ObjectState },
  nowMs: number,
): CheckResult | undefined {
  const status = evaluateRule(plan.rule, (input) => realm.inputStatus(input, plan));
  if (status === "pending") return undefined;
  const output = describeInputs(plan.inputs, (input) => realm.inputStatus(input, plan));
  if (status === statusOf(state.phase) && output === state.last?.output) return undefined;
  return derivedResult({ status, output, origin: "rule" }, nowMs);
}
