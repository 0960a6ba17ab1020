import { type Comment, flappingCommentId } from "@realmwatch/shared/model/annotation";
import { systemAuthor } from "@realmwatch/shared/model/author";
import { addComment, deleteComment } from "../annotations/apply-annotation.ts";
import type { ObjectState } from "../state/object-state.ts";
import type { StepContext, Transition } from "../transition.ts";
import { isFlapDetectionOn } from "./flap-detection.ts";
import { type FlapState, notFlapping } from "./flapping.ts";

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
