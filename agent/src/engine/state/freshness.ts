import type { PassiveSpec } from "@realmwatch/shared/config/check-kinds/passive";
import { isChecked } from "@realmwatch/shared/config/plan";
import type { CheckResult } from "../input.ts";
import { type StepContext, type Transition, unchanged } from "../transition.ts";
import { acceptResult } from "./accept-result.ts";
import { derivedResult } from "./derived-result.ts";
import type { ObjectState } from "./object-state.ts";

/** [FR1] Time at which missing results become stale, Unix ms. */
const staleAtMs = (freshFromMs: number, spec: PassiveSpec): number => freshFromMs + spec.freshnessThresholdMs;

/** [FR2] Result of the freshness check: the configured status, and the time since the last result. */
function staleResult(spec: PassiveSpec, lastResultAtMs: number, nowMs: number): CheckResult {
  const seconds = Math.round((nowMs - lastResultAtMs) / 1000);
  const output = `no result for ${seconds} s (expected at least every ${spec.freshnessThresholdMs / 1000} s)`;
  return derivedResult({ status: spec.staleStatus, output, origin: "stale" }, nowMs);
}

/** [FR5] The passive check whose results are expected; undefined for other checks and while passive checks are off. */
export function expectedPassiveCheck(
  { plan, objectContext }: StepContext,
  state: ObjectState,
): PassiveSpec | undefined {
  if (!isChecked(plan) || plan.check.type !== "passive") return undefined;
  return objectContext.passiveChecksOn && state.toggles.passiveChecks ? plan.check : undefined;
}

/** [FR1] Applies a stale result when the freshness threshold has passed without a result. */
export function checkFreshness(context: StepContext, state: ObjectState): Transition {
  const { objectContext, nowMs } = context;
  const spec = expectedPassiveCheck(context, state);
  if (spec === undefined || staleAtMs(state.freshFromMs, spec) > nowMs) return unchanged(state);
  if (objectContext.closedUntilMs !== undefined)
    return unchanged(waitForOpening(state, objectContext.closedUntilMs, nowMs));
  return acceptResult(context, state, staleResult(spec, state.heardAtMs, nowMs));
}

/** [FR4] No results are expected while `check_period` is closed; the threshold restarts when it opens. */
const waitForOpening = (state: ObjectState, opensAtMs: number, nowMs: number): ObjectState => ({
  ...state,
  freshFromMs: Number.isFinite(opensAtMs) ? opensAtMs : nowMs,
});

/** Time of the next freshness check, Unix ms; Infinity when no results are expected. */
export function freshnessDueMs(context: StepContext, state: ObjectState): number {
  const spec = expectedPassiveCheck(context, state);
  return spec === undefined ? Number.POSITIVE_INFINITY : staleAtMs(state.freshFromMs, spec);
}

/** [FR6] Moves the threshold with a jump of the wall clock. A threshold that waits for an opening stays where it is. */
export const shiftFreshness = ({ nowMs }: StepContext, state: ObjectState, byMs: number): ObjectState => ({
  ...state,
  freshFromMs: state.freshFromMs > nowMs - byMs ? state.freshFromMs : state.freshFromMs + byMs,
  heardAtMs: state.heardAtMs + byMs,
});
