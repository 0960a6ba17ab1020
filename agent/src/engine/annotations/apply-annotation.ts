import type { ObjectPlan } from "@realmwatch/shared/config/plan";
import type { Acknowledgement, Comment } from "@realmwatch/shared/model/annotation";
import { type Author, authorFields, noAuthor } from "@realmwatch/shared/model/author";
import type { HistoryEntry } from "@realmwatch/shared/model/history";
import { isProblem } from "@realmwatch/shared/model/status";
import { deleteDowntime, updateDowntimes } from "../downtimes/apply-downtime.ts";
import { type ObjectState, statusOf } from "../state/object-state.ts";
import { andThen, type StepContext, type Transition, unchanged } from "../transition.ts";

const withHistory = (state: ObjectState, entry: HistoryEntry): Transition => ({
  state,
  history: [entry],
  followUps: [],
});

/** [AC1] Acknowledges a problem, replacing an older acknowledgement. Without a problem only history gets an entry. */
export function addAcknowledgement(plan: ObjectPlan, state: ObjectState, acknowledgement: Acknowledgement): Transition {
  const status = statusOf(state.phase);
  const entry: HistoryEntry = {
    atMs: acknowledgement.atMs,
    type: "acknowledged",
    key: plan.key,
    status,
    comment: acknowledgement.comment,
    ...authorFields(acknowledgement),
  };
  if (!isProblem(status))
    return withHistory(state, { ...entry, because: { reason: "no_problem", name: "", untilMs: undefined } });
  return withHistory({ ...state, acknowledgement }, { ...entry, acknowledgement });
}

export function deleteAcknowledgement(plan: ObjectPlan, state: ObjectState, by: Author, nowMs: number): Transition {
  const { acknowledgement } = state;
  if (acknowledgement === undefined) return unchanged(state);
  const entry: HistoryEntry = {
    atMs: nowMs,
    type: "acknowledgement_removed",
    key: plan.key,
    acknowledgement,
    ...authorFields(by),
  };
  return withHistory({ ...state, acknowledgement: undefined }, entry);
}

export function addComment(plan: ObjectPlan, state: ObjectState, comment: Comment): Transition {
  if (state.comments.some((known) => known.id === comment.id)) return unchanged(state);
  return withHistory(
    { ...state, comments: [...state.comments, comment] },
    {
      atMs: comment.atMs,
      type: "comment_added",
      key: plan.key,
      commentId: comment.id,
      comment: comment.text,
      ...authorFields(comment),
    },
  );
}

export function deleteComment(
  plan: ObjectPlan,
  state: ObjectState,
  id: string,
  { by, nowMs }: { by: Author; nowMs: number },
): Transition {
  const comment = state.comments.find((known) => known.id === id);
  if (comment === undefined) return unchanged(state);
  return withHistory(
    { ...state, comments: state.comments.filter((known) => known.id !== id) },
    {
      atMs: nowMs,
      type: "comment_deleted",
      key: plan.key,
      commentId: id,
      comment: comment.text,
      deletedComment: comment,
      ...authorFields(by),
    },
  );
}

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
