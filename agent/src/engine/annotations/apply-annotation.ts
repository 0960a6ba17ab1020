import type { ObjectPlan } from "@realmwatch/shared/config/plan";
import type { Acknowledgement, Comment } from "@realmwatch/shared/model/annotation";
import type { HistoryEntry } from "@realmwatch/shared/model/history";
import { isProblem } from "@realmwatch/shared/model/status";
import type { ObjectToggles } from "@realmwatch/shared/model/toggles";
import { toggleText } from "@realmwatch/shared/read-model/history/toggle-text";
import { type Transition, unchanged } from "../state/apply-result.ts";
import { statusOf } from "../state/attempts.ts";
import { configuredIfOverridden } from "../toggles/configured-toggles.ts";
import type { Author } from "../input.ts";
import type { ObjectState } from "../state/object-state.ts";

/** Whoever it was: nobody has to be named. */
export const noAuthor: Author = { author: "", onBehalfOf: "" };
/** The author of what nobody ordered. */
export const systemAuthor: Author = { author: "realmwatch", onBehalfOf: "" };

/** Who did it, for history; empty names are left out. */
export const authorFields = (by: Author): Pick<HistoryEntry, "author" | "onBehalfOf"> => ({
  ...(by.author === "" ? {} : { author: by.author }),
  ...(by.onBehalfOf === "" ? {} : { onBehalfOf: by.onBehalfOf }),
});

const withHistory = (state: ObjectState, entry: HistoryEntry): Transition => ({ state, history: [entry], followUps: [] });

/** [AC1] Needs a problem: without one nothing changes, and history says so. A new one replaces the old. */
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

/** [FR5] Passive checks that are switched on give the sender a whole threshold. */
export function setToggle(
  plan: ObjectPlan,
  state: ObjectState,
  change: { toggle: keyof ObjectToggles; enabled: boolean; by: Author; nowMs: number },
): Transition {
  const { toggle, enabled, by, nowMs } = change;
  if (state.toggles[toggle] === enabled) return unchanged(state);
  const toggles = { ...state.toggles, [toggle]: enabled };
  const freshFromMs = toggle === "passiveChecks" && enabled ? nowMs : state.freshFromMs;
  return withHistory(
    { ...state, freshFromMs, toggles, configured: configuredIfOverridden(plan, toggles) },
    { atMs: nowMs, type: "toggle", key: plan.key, output: toggleText(toggle, enabled), ...authorFields(by) },
  );
}
