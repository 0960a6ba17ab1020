import type { HistoryRecord, HistoryType } from "../../model/history.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { Result } from "../../model/result.ts";
import { isProblem } from "../../model/status.ts";
import { lastEndMs } from "../history/advance-downtimes.ts";

/** History records of one object around a time. Empty lists and undefined mean no change. */
export type ObjectPast = {
  /**
   * State changes and acknowledgements up to the time, newest first, back to the beginning of the state at that time,
   * and back to the possible beginning of a flexible downtime, see `statesNeededSinceMs`.
   */
  readonly before: readonly HistoryRecord[];
  /** Downtime records up to the time whose downtimes could still be in effect at it, oldest first. */
  readonly downtimes: readonly HistoryRecord[];
  /** First state change after the time; undefined when the state has not changed since. */
  readonly nextState: HistoryRecord | undefined;
  /** Records of annotations and toggles after the time, oldest first. */
  readonly later: readonly HistoryRecord[];
};

export type RecordedPast = {
  /** True when the realm's history reaches back to the time. */
  reachesBack(realm: string): boolean;
  /** Records of an object; undefined when it has none. An agent's own realm is empty. */
  of(realm: string, ref: string): ObjectPast | undefined;
};

export type PastQuery = {
  readonly atMs: number;
  /** Realm to read; empty means every realm. */
  readonly realm: string;
  /** References of the objects to read, in all realms. */
  readonly refs: ReadonlySet<string>;
};

/** Reads history records around a time. Yields to the event loop while it reads. */
export type PastSource = { pastRecords(question: PastQuery): Promise<Result<RecordedPast, Refusal>> };

/** True when a change of the object is recorded after the time. */
export const changedSince = (past: ObjectPast | undefined): boolean =>
  past !== undefined && (past.nextState !== undefined || past.later.length > 0);

/** Types of later records, besides state changes, that show a difference between the past and now. */
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
export const downtimeRecordTypes: readonly HistoryType[] = laterRecordTypes.filter((type) =>
  type.startsWith("downtime_"),
);
/** Types of records that are read backwards from the time. */
export const beforeRecordTypes: readonly HistoryType[] = ["state", "acknowledged", "acknowledgement_removed"];

/** Maximum number of records to read backwards: an object with many soft problems may have no hard change nearby. */
const maxBefore = 64;

/** True for a state change. A dropped result is recorded as `state` without a status and changed nothing. */
export const isStateRecord = ({ type, status }: Pick<HistoryRecord, "type" | "status">): boolean =>
  type === "state" && status !== undefined;

/** True when records of `beforeRecordTypes`, newest first, reach back to the beginning of the state at the time. */
export function isCompleteBefore(before: readonly HistoryRecord[]): boolean {
  const last = before.at(-1);
  if (last === undefined) return false;
  if (before.length >= maxBefore) return true;
  if (last.status === undefined || !isStateRecord(last)) return false;
  const isBeginning = !isProblem(last.status) || last.previousStatus === undefined || !isProblem(last.previousStatus);
  return isBeginning && before.some((record) => isStateRecord(record) && record.stateType === "hard");
}

/**
 * Time from which state changes are needed to find the problem that started a flexible downtime. Its beginning may
 * have no record, because overlapping downtimes are recorded as one.
 *
 * @param downtimes records as in `ObjectPast`, in any order
 * @returns Unix ms; undefined when no flexible downtime was waiting
 */
export function statesNeededSinceMs(downtimes: readonly HistoryRecord[]): number | undefined {
  const recorded = new Set(
    downtimes.flatMap(({ type, downtimeId }) => (type === "downtime_scheduled" ? [] : [downtimeId])),
  );
  const since = downtimes.flatMap(({ atMs, downtime }) =>
    downtime?.shape.kind === "flexible" && !recorded.has(downtime.id) ? [Math.max(atMs, downtime.startMs)] : [],
  );
  return since.length === 0 ? undefined : Math.min(...since);
}

/** True when the downtime of a record could be in effect at a time, because it was not over before. */
export const couldBeInEffectAt = ({ downtime }: Pick<HistoryRecord, "downtime">, atMs: number): boolean =>
  downtime !== undefined &&
  (downtime.shape.kind === "flexible" ? downtime.endMs + downtime.shape.durationMs : lastEndMs(downtime)) > atMs;
