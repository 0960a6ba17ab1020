import { deleteComment, nobody, removeAcknowledgement } from "./apply-annotation.ts";
import { andThen, deleteDowntime, settle } from "../downtimes/apply-downtime.ts";
import type { Stepped } from "../state/apply-result.ts";
import type { ObjectState } from "../state/object-state.ts";
import type { StepContext } from "../step-context.ts";

/**
 * [RL8] What people put on an object goes with it when it is taken out of the configuration: its downtimes, with those
 * they trigger elsewhere, its comments and its acknowledgement. History says so, as it does where somebody deletes them.
 */
export function clearAway({ plan, nowMs }: Pick<StepContext, "plan" | "nowMs">, state: ObjectState): Stepped {
  const by = { by: nobody, nowMs };
  let cleared = settle({ plan, around: { recurring: [] }, nowMs }, state);
  for (const { id } of cleared.state.downtimes)
    cleared = andThen(cleared, (next) => deleteDowntime(plan, next, id, by));
  for (const { id } of cleared.state.comments) cleared = andThen(cleared, (next) => deleteComment(plan, next, id, by));
  return andThen(cleared, (next) => removeAcknowledgement(plan, next, nobody, nowMs));
}
