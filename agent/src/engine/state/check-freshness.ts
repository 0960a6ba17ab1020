import type { PassiveSpec } from "@realmwatch/shared/config/check-spec";
import { isChecked } from "@realmwatch/shared/config/plan";
import { type Stepped, unchanged } from "./apply-result.ts";
import { staleAtMs, staleResult } from "./freshness.ts";
import type { ObjectState } from "./object-state.ts";
import type { StepContext } from "../step-context.ts";
import { takeResult } from "./accept-result.ts";

/** What an object whose silence counts is expected to send. [FR5] While it may not send, silence says nothing. */
export function expected({ plan, around }: StepContext, state: ObjectState): PassiveSpec | undefined {
  if (!isChecked(plan) || plan.check.type !== "passive") return undefined;
  return around.passiveChecksOn && state.toggles.passiveChecks ? plan.check : undefined;
}

/** [FR1] Where nothing was heard for too long, that is a result. */
export function goStale(context: StepContext, state: ObjectState): Stepped {
  const { around, nowMs } = context;
  const spec = expected(context, state);
  if (spec === undefined || staleAtMs(state.freshFromMs, spec) > nowMs) return unchanged(state);
  if (around.closedUntilMs !== undefined) return unchanged(waitForOpening(state, around.closedUntilMs, nowMs));
  return takeResult(context, state, staleResult(spec, state.heardAtMs, nowMs));
}

/** [FR4] Behind a closed `check_period` nobody sends; with its opening the threshold begins anew. */
const waitForOpening = (state: ObjectState, opensAtMs: number, nowMs: number): ObjectState => ({
  ...state,
  freshFromMs: Number.isFinite(opensAtMs) ? opensAtMs : nowMs,
});

/** When silence becomes a result, Unix ms; Infinity where it never does. */
export function silentUntilMs(context: StepContext, state: ObjectState): number {
  const spec = expected(context, state);
  return spec === undefined ? Number.POSITIVE_INFINITY : staleAtMs(state.freshFromMs, spec);
}

/** [FR6] The threshold goes on as if there had been no jump; one that waits for an opening goes by the calendar. */
export const moveSilence = ({ nowMs }: StepContext, state: ObjectState, byMs: number): ObjectState => ({
  ...state,
  freshFromMs: state.freshFromMs > nowMs - byMs ? state.freshFromMs : state.freshFromMs + byMs,
  heardAtMs: state.heardAtMs + byMs,
});
