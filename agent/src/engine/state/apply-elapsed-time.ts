import type { HistoryEntry } from "@realmwatch/shared/model/history";
import { hasExpired } from "../annotations/acknowledgement.ts";
import { andThen, settle, settlingDueMs } from "../downtimes/apply-downtime.ts";
import { type Stepped, unchanged } from "./apply-result.ts";
import { statusOf } from "./attempts.ts";
import { flapEntries, nextStableSampleMs, takeStableSamples } from "../flapping/flap-detection.ts";
import { goStale, silentUntilMs } from "./check-freshness.ts";
import type { ObjectState } from "./object-state.ts";
import type { StepContext } from "../step-context.ts";

function expireAcknowledgement({ plan, nowMs }: StepContext, state: ObjectState): Stepped {
  const { acknowledgement } = state;
  if (acknowledgement === undefined || !hasExpired(acknowledgement, nowMs)) return unchanged(state);
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
function stayQuiet({ plan, around, nowMs }: StepContext, state: ObjectState): Stepped {
  if (nextStableSampleMs(plan, state, around) > nowMs) return unchanged(state);
  const after = takeStableSamples(plan, state, nowMs);
  const status = statusOf(state.phase);
  return { ...unchanged(after), history: flapEntries(plan, { before: state.flap, after: after.flap, status, nowMs }) };
}

/** What time alone does: downtimes begin and end, an acknowledgement runs out, quiet and silence are noticed. */
export function passTime(context: StepContext, state: ObjectState): Stepped {
  const settled = settle(context, state);
  const expired = andThen(settled, (next) => expireAcknowledgement(context, next));
  const quiet = andThen(expired, (next) => stayQuiet(context, next));
  return andThen(quiet, (next) => goStale(context, next));
}

/** When time alone could change the state, Unix ms; Infinity for never. */
export function nextDueMs(context: StepContext, state: ObjectState): number {
  const { plan, around } = context;
  return Math.min(
    silentUntilMs(context, state),
    state.acknowledgement?.expiresAtMs ?? Infinity,
    nextStableSampleMs(plan, state, around),
    settlingDueMs(context, state),
  );
}
