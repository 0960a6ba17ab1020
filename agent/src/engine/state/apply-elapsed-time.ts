import type { HistoryEntry } from "@realmwatch/shared/model/history";
import { isAcknowledgementExpired } from "../annotations/acknowledgement.ts";
import { downtimesDueMs, updateDowntimes } from "../downtimes/apply-downtime.ts";
import { addStableSamples, flapHistory, nextStableSampleMs } from "../flapping/flap-detection.ts";
import { andThen, type StepContext, type Transition, unchanged } from "../transition.ts";
import { checkFreshness, freshnessDueMs } from "./freshness.ts";
import { type ObjectState, statusOf } from "./object-state.ts";

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

/** [FL4] Adds the stable flap samples of a process that has not changed. */
function sampleUnchanged({ plan, objectContext, nowMs }: StepContext, state: ObjectState): Transition {
  if (nextStableSampleMs(plan, state, objectContext) > nowMs) return unchanged(state);
  const after = addStableSamples(plan, state, nowMs);
  const status = statusOf(state.phase);
  return { ...unchanged(after), history: flapHistory(plan, { before: state.flap, after: after.flap, status, nowMs }) };
}

/** Applies the effects of time on downtimes, acknowledgement expiry, stable flap samples and freshness. */
export function applyElapsedTime(context: StepContext, state: ObjectState): Transition {
  const updated = updateDowntimes(context, state);
  const expired = andThen(updated, (next) => expireAcknowledgement(context, next));
  const sampled = andThen(expired, (next) => sampleUnchanged(context, next));
  return andThen(sampled, (next) => checkFreshness(context, next));
}

/** Next time at which `applyElapsedTime` may change the state, Unix ms; Infinity when there is none. */
export function nextDueMs(context: StepContext, state: ObjectState): number {
  const { plan, objectContext } = context;
  return Math.min(
    freshnessDueMs(context, state),
    state.acknowledgement?.expiresAtMs ?? Infinity,
    nextStableSampleMs(plan, state, objectContext),
    downtimesDueMs(context, state),
  );
}
