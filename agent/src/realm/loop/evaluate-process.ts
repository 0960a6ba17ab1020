import type { ProcessPlan } from "@realmwatch/shared/config/plan";
import type { CheckResult } from "../../engine/input.ts";
import { describeInputs, evaluateRule } from "../../engine/processes/business-process.ts";
import { derivedResult } from "../../engine/state/derived-result.ts";
import { type ObjectState, statusOf } from "../../engine/state/object-state.ts";
import type { RealmState } from "../state/realm-state.ts";

/**
 * Evaluates the rule of a process on the present status of its inputs. Returns a result for the engine; undefined if
 * neither status nor output changed, or if too few inputs have a status yet.
 */
export function evaluateProcess(
  realm: Pick<RealmState, "inputStatus">,
  { plan, state }: { readonly plan: ProcessPlan; readonly state: ObjectState },
  nowMs: number,
): CheckResult | undefined {
  const status = evaluateRule(plan.rule, (input) => realm.inputStatus(input, plan));
  if (status === "pending") return undefined;
  const output = describeInputs(plan.inputs, (input) => realm.inputStatus(input, plan));
  if (status === statusOf(state.phase) && output === state.last?.output) return undefined;
  return derivedResult({ status, output, origin: "rule" }, nowMs);
}
