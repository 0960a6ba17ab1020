import type { HistoryRecord } from "../../model/history.ts";
import { isProblem } from "../../model/status.ts";
import type { Row } from "../../row/row.ts";
import { type FoldedState, foldHistory, initialFoldedState } from "../history/fold-history.ts";
import { pastAcknowledgement, pastComments, pastDowntimes, pastFlapping, pastToggles } from "./past-annotations.ts";
import { isStateRecord, type ObjectPast } from "./past-records.ts";

export type PastInstant = {
  readonly atMs: number;
  /** True when the realm's history reaches back to the time. */
  readonly reached: boolean;
};

/** Output of a row at a time that is older than the history. */
const beyondHistory = "history does not reach back so far";

/**
 * Row of an object at a past time, derived from its current row and its history records around that time. Host and
 * parents are applied later by `withPastHandling`. Unrecorded fields, such as the time of the next check, are left out;
 * labels and other configuration are the current ones.
 */
export function pastRow(row: Row, past: ObjectPast | undefined, instant: PastInstant): Row {
  const folded = pastFoldedState(row, past, instant);
  const downtimes = pastDowntimes(row, past, { folded, atMs: instant.atMs });
  const problem = isProblem(folded.status);
  const acknowledgement = problem ? pastAcknowledgement(row, past, { folded, atMs: instant.atMs }) : undefined;
  return {
    ...withoutLaterChecks(row, instant.atMs),
    ...folded,
    flapping: pastFlapping(row, past),
    acknowledgement,
    downtimes,
    inDowntime: downtimes.some(({ inEffect }) => inEffect),
    comments: pastComments(row, past, instant.atMs),
    toggles: pastToggles(row, past),
  };
}

/** Clears the fields whose past is not recorded; a row without them stays as it is. */
export const withoutLaterChecks = (row: Row, atMs: number): Row => ({
  ...row,
  ...pastMeasurements(row, atMs),
  nextCheckAtMs: undefined,
  overdueAtMs: undefined,
  impact: undefined,
  cause: undefined,
  notification: undefined,
});

/** Clears the measurements of the last check if that check is newer than the time. */
const pastMeasurements = ({ lastCheckAtMs }: Row, atMs: number): Partial<Row> =>
  lastCheckAtMs === undefined || lastCheckAtMs <= atMs
    ? {}
    : {
        longOutput: "",
        perfdata: [],
        lastCheckAtMs: undefined,
        latencyMs: undefined,
        executionMs: undefined,
        flapValue: 0,
      };

/** State at the time, with the downtimes of the records up to it. */
function pastFoldedState(row: Row, past: ObjectPast | undefined, { atMs, reached }: PastInstant): FoldedState {
  const states = (past?.before ?? []).filter(isStateRecord);
  const isAsNow = past?.nextState === undefined && (row.lastChangeAtMs === undefined || row.lastChangeAtMs <= atMs);
  const first = states.at(-1);
  if (isAsNow) {
    const start = first === undefined ? stateOf(row) : stateBefore(first, row);
    return { ...stateOf(row), downtimes: foldHistory(merged(past), atMs, start).downtimes };
  }
  if (first !== undefined) {
    const folded = foldHistory(merged(past), atMs, stateBefore(first, row));
    return { ...folded, lastHardChangeAtMs: folded.lastHardChangeAtMs ?? olderThan(atMs, row.lastHardChangeAtMs) };
  }
  const next = past?.nextState;
  // An object that was pending before its first recorded change was pending at every earlier time.
  const isKnown = next !== undefined && (reached || next.previousStatus === "pending");
  const start = isKnown ? stateBefore(next, row) : { ...initialFoldedState, output: beyondHistory };
  return foldHistory(past?.downtimes ?? [], atMs, start);
}

const olderThan = (atMs: number, instant: number | undefined): number | undefined =>
  instant !== undefined && instant <= atMs ? instant : undefined;

const stateOf = (row: Row): FoldedState => ({
  ...initialFoldedState,
  status: row.status,
  stateType: row.stateType,
  attempt: row.attempt,
  output: row.output,
  lastHardStatus: row.lastHardStatus,
  lastChangeAtMs: row.lastChangeAtMs,
  lastHardChangeAtMs: row.lastHardChangeAtMs,
});

/** State before a record, as far as the record contains it: little more than the status. */
function stateBefore({ previousStatus = "pending", status, stateType, attempt }: HistoryRecord, row: Row): FoldedState {
  const problem = isProblem(previousStatus);
  const soft = problem && previousStatus === status && stateType === "soft";
  return {
    ...initialFoldedState,
    status: previousStatus,
    stateType: soft ? "soft" : "hard",
    attempt: soft ? Math.max(1, (attempt ?? 2) - 1) : problem ? row.maxAttempts : 1,
    lastHardStatus: soft ? "ok" : previousStatus,
  };
}

/** All records up to the time, oldest first. */
const merged = (past: ObjectPast | undefined): readonly HistoryRecord[] =>
  past === undefined ? [] : [...past.before, ...past.downtimes].sort((a, b) => a.seq - b.seq);
