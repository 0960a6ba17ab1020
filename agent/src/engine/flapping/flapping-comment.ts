import { type Comment, flappingCommentId } from "@realmwatch/shared/model/annotation";
import { addComment, deleteComment } from "../annotations/apply-annotation.ts";
import { systemAuthor } from "../author.ts";
import type { Transition } from "../transition.ts";
import { isFlapDetectionOn } from "./flap-detection.ts";
import { notFlapping, type FlapState } from "./flapping.ts";
import type { ObjectState } from "../state/object-state.ts";
import type { StepContext } from "../step-context.ts";

const percent = (rate: number): string => `${Number((rate * 100).toFixed(1))} %`;

const commentOn = ({ plan, nowMs }: StepContext, { value }: FlapState): Comment => ({
  ...systemAuthor,
  id: flappingCommentId(plan.ref),
  text: `flapping at ${percent(value)}, threshold ${percent(plan.flap.highThreshold)}: problems and recoveries wait until it is steady`,
  atMs: nowMs,
});

/** [TG1] Where nobody counts the changes any more, what was counted is forgotten. */
function forgetUnwatched({ plan, objectContext }: StepContext, state: ObjectState): ObjectState {
  const { value, flapping } = state.flap;
  return (value === 0 && !flapping) || isFlapDetectionOn(plan, state, objectContext) ? state : { ...state, flap: notFlapping };
}

/** [FL5] As long as an object flaps a comment says so, whatever it was that began or ended it. */
export function updateFlapping(context: StepContext, before: FlapState, stepped: Transition): Transition {
  const { plan, nowMs } = context;
  const state = forgetUnwatched(context, stepped.state);
  const { flap } = state;
  if (flap.flapping === before.flapping) return state === stepped.state ? stepped : { ...stepped, state };
  const noted = flap.flapping
    ? addComment(plan, state, commentOn(context, flap))
    : deleteComment(plan, state, flappingCommentId(plan.ref), { by: systemAuthor, nowMs });
  return { ...stepped, state: noted.state, history: [...stepped.history, ...noted.history] };
}
