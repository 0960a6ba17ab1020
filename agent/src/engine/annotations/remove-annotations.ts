import { deleteComment, noAuthor, deleteAcknowledgement } from "./apply-annotation.ts";
import { andThen, deleteDowntime, updateDowntimes } from "../downtimes/apply-downtime.ts";
import type { Transition } from "../state/apply-result.ts";
import type { ObjectState } from "../state/object-state.ts";
import type { StepContext } from "../step-context.ts";

/**
 * [RL8] What people put on an object goes with it when it is taken out of the configuration: its downtimes, with those
 * they trigger elsewhere, its comments and its acknowledgement. History says so, as it does where somebody deletes them.
 */
export function removeAnnotations({ plan, nowMs }: Pick<StepContext, "plan" | "nowMs">, state: ObjectState): Transition {
  const by = { by: noAuthor, nowMs };
  let cleared = updateDowntimes({ plan, objectContext: { recurring: [] }, nowMs }, state);
  for (const { id } of cleared.state.downtimes)
    cleared = andThen(cleared, (next) => deleteDowntime(plan, next, id, by));
  for (const { id } of cleared.state.comments) cleared = andThen(cleared, (next) => deleteComment(plan, next, id, by));
  return andThen(cleared, (next) => deleteAcknowledgement(plan, next, noAuthor, nowMs));
}
