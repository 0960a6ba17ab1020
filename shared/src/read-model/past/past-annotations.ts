import { type Acknowledgement, type Comment, flappingCommentId } from "../../model/annotation.ts";
import type { Downtime } from "../../model/downtime.ts";
import { refOf } from "../../model/object-key.ts";
import { isProblem } from "../../model/status.ts";
import type { ObjectToggles } from "../../model/toggles.ts";
import type { Row } from "../../row/row.ts";
import { advanceDowntimes } from "../history/advance-downtimes.ts";
import { type FoldedState, foldHistory } from "../history/fold-history.ts";
import { parseToggleText } from "../history/toggle-text.ts";
import type { ObjectPast } from "./past-records.ts";

/** State at a time, derived from the records up to it. */
type PastState = { readonly folded: FoldedState; readonly atMs: number };

/** Acknowledgement at the time, derived from the first later record; without one, the current one if it is older. */
export function pastAcknowledgement(
  row: Row,
  past: ObjectPast | undefined,
  { folded, atMs }: PastState,
): Acknowledgement | undefined {
  const next = past?.later.find(
    ({ type, because }) => type === "acknowledgement_removed" || (type === "acknowledged" && because === undefined),
  );
  if (next === undefined) return ifMadeBy(row.acknowledgement, atMs);
  const removed = next.type === "acknowledgement_removed" ? next.acknowledgement : undefined;
  if (removed !== undefined) return ifMadeBy(removed, atMs);
  return folded.acknowledgement ?? foldHistory([...(past?.before ?? [])].reverse(), atMs).acknowledgement;
}

const ifMadeBy = <T extends { readonly atMs: number }>(given: T | undefined, atMs: number): T | undefined =>
  given !== undefined && given.atMs <= atMs ? given : undefined;

export function pastComments(row: Row, past: ObjectPast | undefined, atMs: number): readonly Comment[] {
  const deleted = past?.later.flatMap(({ deletedComment }) => deletedComment ?? []) ?? [];
  if (row.comments.length === 0 && deleted.length === 0) return row.comments;
  return [...row.comments, ...deleted].filter((comment) => comment.atMs <= atMs).sort((a, b) => a.atMs - b.atMs);
}

/** Toggles at the time: each had the opposite value before its first later change. */
export function pastToggles(row: Row, past: ObjectPast | undefined): ObjectToggles {
  const toggles = { ...row.toggles };
  for (const { type, output = "" } of past?.later.toReversed() ?? []) {
    const change = type === "toggle" ? parseToggleText(output) : undefined;
    if (change !== undefined) toggles[change.toggle] = !change.enabled;
  }
  return toggles;
}

/** [TG1] Flapping at the time. When detection was disabled, only the removal of its comment records the end. */
export function pastFlapping(row: Row, past: ObjectPast | undefined): boolean {
  const commentId = flappingCommentId(refOf(row.about.key));
  const next = past?.later.find(
    ({ type, deletedComment }) =>
      type === "flapping_start" || type === "flapping_stop" || deletedComment?.id === commentId,
  );
  return next === undefined ? row.flapping : next.type !== "flapping_start";
}

/**
 * Downtimes at the time: current ones that were not scheduled later, those that ended or were deleted since, and those
 * that only earlier records contain. Of several versions of a downtime the one that knows its beginning wins.
 */
export function pastDowntimes(
  row: Row,
  past: ObjectPast | undefined,
  { folded, atMs }: PastState,
): readonly Downtime[] {
  const later = past?.later.filter(({ downtime }) => downtime !== undefined) ?? [];
  if (row.downtimes.length + folded.downtimes.length + later.length === 0) return row.downtimes;
  const newer = new Set(later.flatMap(({ type, downtimeId }) => (type === "downtime_scheduled" ? [downtimeId] : [])));
  const known = new Map(folded.downtimes.map((downtime) => [downtime.id, downtime]));
  for (const downtime of [...later.flatMap(({ downtime }) => downtime ?? []), ...row.downtimes]) {
    if (newer.has(downtime.id)) continue;
    const earlier = known.get(downtime.id);
    if (earlier === undefined || isActivatedBy(downtime, atMs)) known.set(downtime.id, asPending(downtime, atMs));
  }
  const advanced = advanceDowntimes([...known.values()], isProblem(folded.status), atMs);
  // The next occurrence of a recurring downtime comes from the configuration, so it existed at any time.
  const recurring = row.downtimes.filter(
    ({ id, shape }) => shape.kind === "recurring" && !advanced.some((d) => d.id === id),
  );
  return [...advanced, ...recurring.map((downtime) => ({ ...downtime, inEffect: false }))];
}

const isActivatedBy = ({ shape }: Downtime, atMs: number): boolean =>
  "active" in shape && shape.active !== undefined && shape.active.fromMs <= atMs;

/** Resets a downtime that began after the time to its state before. */
function asPending(downtime: Downtime, atMs: number): Downtime {
  const { shape } = downtime;
  if (!("active" in shape) || shape.active === undefined || shape.active.fromMs <= atMs) return downtime;
  return { ...downtime, inEffect: false, shape: { ...shape, active: undefined } };
}
