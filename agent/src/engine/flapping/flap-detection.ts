import type { ObjectPlan } from "@realmwatch/shared/config/plan";
import { type Comment, flappingCommentId } from "@realmwatch/shared/model/annotation";
import { systemAuthor } from "@realmwatch/shared/model/author";
import type { HistoryEntry } from "@realmwatch/shared/model/history";
import type { Status } from "@realmwatch/shared/model/status";
import { addComment, deleteComment } from "../annotations/apply-annotation.ts";
import type { ObjectContext } from "../object-context.ts";
import type { ObjectState } from "../state/object-state.ts";
import type { StepContext, Transition } from "../transition.ts";
import { type FlapState, minFlapRate, notFlapping, updateFlap } from "./flapping.ts";

/** [TG1] True when the configuration, the realm's toggle and the object's toggle all allow flap detection. */
export const isFlapDetectionOn = (
  plan: ObjectPlan,
  state: Pick<ObjectState, "toggles">,
  objectContext: ObjectContext,
): boolean => plan.flap.enabled && objectContext.flapDetectionOn && state.toggles.flapDetection;

/** One result; `rawStatus` is the status before a host's parents turned it into unreachable. */
type Sample = { readonly status: Status; readonly rawStatus: Status; readonly objectContext: ObjectContext };

/** [FL1] Every result is a sample, except the first one and those taken while the object cannot be judged. */
export function nextFlap(
  plan: ObjectPlan,
  state: ObjectState,
  { status, rawStatus, objectContext }: Sample,
): FlapState {
  if (!isFlapDetectionOn(plan, state, objectContext)) return notFlapping;
  const unreliable = objectContext.hostDown || (plan.key.kind === "host" && status === "unreachable");
  if (state.last === undefined || unreliable) return state.flap;
  return updateFlap(state.flap, rawStatus !== state.last.rawStatus, plan.flap);
}

/** History of a change of flapping. Flapping that is reset because detection is off has no `flapping_stop`. */
export function flapHistory(
  plan: ObjectPlan,
  { before, after, status, nowMs }: { before: FlapState; after: FlapState; status: Status; nowMs: number },
): readonly HistoryEntry[] {
  if (before.flapping === after.flapping || after === notFlapping) return [];
  return [{ atMs: nowMs, type: after.flapping ? "flapping_start" : "flapping_stop", key: plan.key, status }];
}

/** Time without a change that counts as one stable sample of a process: the usual check interval, ms. */
const stableSampleMs = 60_000;

/** Time of the next stable sample of an unchanged process, Unix ms; Infinity when its flap value is zero. */
export function nextStableSampleMs(plan: ObjectPlan, state: ObjectState, objectContext: ObjectContext): number {
  const decays =
    plan.key.kind === "process" && state.flap.value > minFlapRate && isFlapDetectionOn(plan, state, objectContext);
  return decays ? state.freshFromMs + stableSampleMs : Number.POSITIVE_INFINITY;
}

/**
 * [FL4] Adds the stable samples of a process up to `nowMs`. A process has a result only when its status changes, so
 * without them a few changes in a year would make it flap for ever.
 */
export function addStableSamples(plan: ObjectPlan, state: ObjectState, nowMs: number): ObjectState {
  let { flap, freshFromMs } = state;
  for (; freshFromMs + stableSampleMs <= nowMs && flap.value > minFlapRate; freshFromMs += stableSampleMs)
    flap = updateFlap(flap, false, plan.flap);
  return { ...state, flap, freshFromMs };
}

const percent = (rate: number): string => `${Number((rate * 100).toFixed(1))} %`;

const commentOn = ({ plan, nowMs }: StepContext, { value }: FlapState): Comment => ({
  ...systemAuthor,
  id: flappingCommentId(plan.ref),
  text: `flapping at ${percent(value)}, threshold ${percent(plan.flap.highThreshold)}: problems and recoveries wait until it is steady`,
  atMs: nowMs,
});

/** [TG1] Resets the flap state while flap detection is off. */
function resetUndetected({ plan, objectContext }: StepContext, state: ObjectState): ObjectState {
  const { value, flapping } = state.flap;
  const isReset = value === 0 && !flapping;
  return isReset || isFlapDetectionOn(plan, state, objectContext) ? state : { ...state, flap: notFlapping };
}

/** [FL5] Adds a comment when the object starts flapping and deletes it when it stops, whatever the cause. */
export function updateFlapping(context: StepContext, before: FlapState, transition: Transition): Transition {
  const { plan, nowMs } = context;
  const state = resetUndetected(context, transition.state);
  const { flap } = state;
  if (flap.flapping === before.flapping) return state === transition.state ? transition : { ...transition, state };
  const commented = flap.flapping
    ? addComment(plan, state, commentOn(context, flap))
    : deleteComment(plan, state, flappingCommentId(plan.ref), { by: systemAuthor, nowMs });
  return { ...transition, state: commented.state, history: [...transition.history, ...commented.history] };
}
