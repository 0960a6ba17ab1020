import type { HistoryRecord, HistoryType } from "../../model/history.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { Result } from "../../model/result.ts";
import { isProblem } from "../../model/status.ts";
import { lastEndMs } from "../history/advance-downtimes.ts";

/** What history knows of one object around an instant. Empty lists and undefined: nothing changed. */
export type ObjectPast = {
  /**
   * Changes of state and acknowledgements up to the instant, newest first, until what held then began; and until a
   * flexible downtime that waited could begin, see `waitingSinceMs`.
   */
  readonly before: readonly HistoryRecord[];
  /** Records of downtimes up to the instant that could last until it, oldest first. */
  readonly downtimes: readonly HistoryRecord[];
  /** The first change of state after the instant. Without one the state then is the state now. */
  readonly nextState: HistoryRecord | undefined;
  /** What became of annotations and switches after the instant, oldest first. */
  readonly later: readonly HistoryRecord[];
};

export type RecordedPast = {
  /** Whether the realm's history reaches back to the instant. */
  reachesBack(realm: string): boolean;
  /** Undefined where nothing is recorded of the object. An agent's own realm is empty. */
  of(realm: string, ref: string): ObjectPast | undefined;
};

export type PastQuery = {
  readonly atMs: number;
  /** As in queries: empty means every realm. */
  readonly realm: string;
  /** The objects to look at, those of all realms. */
  readonly refs: ReadonlySet<string>;
};

/** Finds what history knows around an instant. Gives the thread back to others on the way. */
export type PastSource = { pastRecords(question: PastQuery): Promise<Result<RecordedPast, Refusal>> };

/** Whether anything is recorded of the object after the instant. */
export const changedSince = (past: ObjectPast | undefined): boolean =>
  past !== undefined && (past.nextState !== undefined || past.later.length > 0);

/** Records of the time after an instant that say what was different at it, states aside. */
export const laterRecordTypes: readonly HistoryType[] = [
  "acknowledged",
  "acknowledgement_removed",
  "comment_deleted",
  "toggle",
  "flapping_start",
  "flapping_stop",
  "downtime_scheduled",
  "downtime_start",
  "downtime_end",
  "downtime_cancelled",
];
export const downtimeRecordTypes: readonly HistoryType[] = laterRecordTypes.filter((type) => type.startsWith("downtime_"));
/** Records that are looked back for. */
export const beforeRecordTypes: readonly HistoryType[] = ["state", "acknowledged", "acknowledgement_removed"];

/** Further back nobody looks: an object that often fails softly never had a last hard change close by. */
const maxBefore = 64;

/** A result that was dropped is recorded as `state` without a status: it changed nothing. */
export const isStateRecord = ({ type, status }: Pick<HistoryRecord, "type" | "status">): boolean =>
  type === "state" && status !== undefined;

/** Whether records of `beforeTypes`, newest first, reach back to where everything that holds began. */
export function isCompleteBefore(before: readonly HistoryRecord[]): boolean {
  const last = before.at(-1);
  if (last === undefined) return false;
  if (before.length >= maxBefore) return true;
  if (last.status === undefined || !isStateRecord(last)) return false;
  const isBeginning = !isProblem(last.status) || last.previousStatus === undefined || !isProblem(last.previousStatus);
  return isBeginning && before.some((record) => isStateRecord(record) && record.stateType === "hard");
}

/**
 * Since when states must be known to tell which problem a flexible downtime began with that has no record of its
 * beginning: downtimes that overlap are told as one.
 *
 * @param downtimes records as in `ObjectPast`, in any order
 * @returns Unix ms; undefined where none waited
 */
export function statesNeededSinceMs(downtimes: readonly HistoryRecord[]): number | undefined {
  const told = new Set(
    downtimes.flatMap(({ type, downtimeId }) => (type === "downtime_scheduled" ? [] : [downtimeId])),
  );
  const since = downtimes.flatMap(({ atMs, downtime }) =>
    downtime?.shape.kind === "flexible" && !told.has(downtime.id) ? [Math.max(atMs, downtime.startMs)] : [],
  );
  return since.length === 0 ? undefined : Math.min(...since);
}

/** Whether a record of a downtime can matter at an instant: what was over by then does not. */
export const couldBeInEffectAt = ({ downtime }: Pick<HistoryRecord, "downtime">, atMs: number): boolean =>
  downtime !== undefined &&
  (downtime.shape.kind === "flexible" ? downtime.endMs + downtime.shape.durationMs : lastEndMs(downtime)) > atMs;
