import { noAuthor } from "@realmwatch/shared/model/author";
import { deleteDowntime, updateDowntimes } from "../downtimes/apply-downtime.ts";
import type { ObjectState } from "../state/object-state.ts";
import { andThen, type StepContext, type Transition } from "../transition.ts";
import { deleteAcknowledgement, deleteComment } from "./apply-annotation.ts";

/**
 * [RL8] Deletes the annotations of an object that is removed from the configuration: its downtimes with those they
 * trigger elsewhere, its comments and its acknowledgement. History gets the same entries as for a delete by command.
 */
export function removeAnnotations(
  { plan, nowMs }: Pick<StepContext, "plan" | "nowMs">,
  state: ObjectState,
): Transition {
  const by = { by: noAuthor, nowMs };
  let removed = updateDowntimes({ plan, objectContext: { recurring: [] }, nowMs }, state);
  for (const { id } of removed.state.downtimes)
    removed = andThen(removed, (next) => deleteDowntime(plan, next, id, by));
  for (const { id } of removed.state.comments) removed = andThen(removed, (next) => deleteComment(plan, next, id, by));
  return andThen(removed, (next) => deleteAcknowledgement(plan, next, noAuthor, nowMs));
}
