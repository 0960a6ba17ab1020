import type { HistoryEntry } from "@realmwatch/shared/model/history";
import { isAcknowledgementExpired } from "../annotations/acknowledgement.ts";
import { updateDowntimes, downtimesDueMs } from "../downtimes/apply-downtime.ts";
import { andThen } from "../transition.ts";
import { type Transition, unchanged } from "../transition.ts";
import { statusOf } from "./attempts.ts";
import { flapHistory, nextStableSampleMs, addStableSamples } from "../flapping/flap-detection.ts";
import { checkFreshness, freshnessDueMs } from "./freshness.ts";
import type { ObjectState } from "./object-state.ts";
import type { StepContext } from "../step-context.ts";

function expireAcknowledgement({ plan, nowMs }: StepContext, state: ObjectState): Transition {
  const { acknowledgement } = state;
  if (acknowledgement === undefined || !isAcknowledgementExpired(acknowledgement, nowMs)) return unchanged(state);
  const entry: HistoryEntry = {
    atMs: nowMs,
    type: "acknowledgement_removed",
    key: plan.key,
    comment: "expired",
    acknowledgement,
  };
  return { state: { ...state, acknowledgement: undefined }, history: [entry], followUps: [] };
}

/** [FL4] Where a process is, its quiet is a sample. */
function stayQuiet({ plan, objectContext, nowMs }: StepContext, state: ObjectState): Transition {
  if (nextStableSampleMs(plan, state, objectContext) > nowMs) return unchanged(state);
  const after = addStableSamples(plan, state, nowMs);
  const status = statusOf(state.phase);
  return { ...unchanged(after), history: flapHistory(plan, { before: state.flap, after: after.flap, status, nowMs }) };
}

/** What time alone does: downtimes begin and end, an acknowledgement runs out, quiet and silence are noticed. */
export function applyElapsedTime(context: StepContext, state: ObjectState): Transition {
  const settled = updateDowntimes(context, state);
  const expired = andThen(settled, (next) => expireAcknowledgement(context, next));
  const quiet = andThen(expired, (next) => stayQuiet(context, next));
  return andThen(quiet, (next) => checkFreshness(context, next));
}

/** When time alone could change the state, Unix ms; Infinity for never. */
export function nextDueMs(context: StepContext, state: ObjectState): number {
  const { plan, objectContext } = context;
  return Math.min(
    freshnessDueMs(context, state),
    state.acknowledgement?.expiresAtMs ?? Infinity,
    nextStableSampleMs(plan, state, objectContext),
    downtimesDueMs(context, state),
  );
}
