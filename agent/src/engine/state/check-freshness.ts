import type { PassiveSpec } from "@realmwatch/shared/config/check-spec";
import { isChecked } from "@realmwatch/shared/config/plan";
import { type Transition, unchanged } from "../transition.ts";
import { staleAtMs, staleResult } from "./freshness.ts";
import type { ObjectState } from "./object-state.ts";
import type { StepContext } from "../step-context.ts";
import { acceptResult } from "./accept-result.ts";

/** What an object whose silence counts is expected to send. [FR5] While it may not send, silence says nothing. */
export function expectedPassiveCheck({ plan, objectContext }: StepContext, state: ObjectState): PassiveSpec | undefined {
  if (!isChecked(plan) || plan.check.type !== "passive") return undefined;
  return objectContext.passiveChecksOn && state.toggles.passiveChecks ? plan.check : undefined;
}

/** [FR1] Where nothing was heard for too long, that is a result. */
export function checkFreshness(context: StepContext, state: ObjectState): Transition {
  const { objectContext, nowMs } = context;
  const spec = expectedPassiveCheck(context, state);
  if (spec === undefined || staleAtMs(state.freshFromMs, spec) > nowMs) return unchanged(state);
  if (objectContext.closedUntilMs !== undefined) return unchanged(waitForOpening(state, objectContext.closedUntilMs, nowMs));
  return acceptResult(context, state, staleResult(spec, state.heardAtMs, nowMs));
}

/** [FR4] Behind a closed `check_period` nobody sends; with its opening the threshold begins anew. */
const waitForOpening = (state: ObjectState, opensAtMs: number, nowMs: number): ObjectState => ({
  ...state,
  freshFromMs: Number.isFinite(opensAtMs) ? opensAtMs : nowMs,
});

/** When silence becomes a result, Unix ms; Infinity where it never does. */
export function freshnessDueMs(context: StepContext, state: ObjectState): number {
  const spec = expectedPassiveCheck(context, state);
  return spec === undefined ? Number.POSITIVE_INFINITY : staleAtMs(state.freshFromMs, spec);
}

/** [FR6] The threshold goes on as if there had been no jump; one that waits for an opening goes by the calendar. */
export const shiftFreshness = ({ nowMs }: StepContext, state: ObjectState, byMs: number): ObjectState => ({
  ...state,
  freshFromMs: state.freshFromMs > nowMs - byMs ? state.freshFromMs : state.freshFromMs + byMs,
  heardAtMs: state.heardAtMs + byMs,
});
