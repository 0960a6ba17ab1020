import type { HistoryRecord } from "../../model/history.ts";
import type { Row } from "../../model/row.ts";
import { isProblem } from "../../model/status.ts";
import { type FoldedState, foldHistory, initialFoldedState } from "../history/fold-history.ts";
import { pastAcknowledgement, pastComments, pastDowntimes, pastFlapping, pastToggles } from "./past-annotations.ts";
import { type ObjectPast, isStateRecord } from "./past-records.ts";

export type PastInstant = {
  readonly atMs: number;
  /** Whether the realm's history reaches back to the instant. */
  readonly reached: boolean;
};

/** Says of a row that history does not reach back to it. */
const beyondHistory = "history does not reach back so far";

/**
 * A row as it was at an instant, by the row as it is now and by what history recorded around the instant. What
 * covers it (its host, its parents) is not looked at; see `coverThen`. What nobody records, such as the instant of the
 * next check, is left out; labels and the like are those of now.
 */
export function pastRow(row: Row, past: ObjectPast | undefined, then: PastInstant): Row {
  const folded = pastFoldedState(row, past, then);
  const downtimes = pastDowntimes(row, past, { folded, atMs: then.atMs });
  const problem = isProblem(folded.status);
  const acknowledgement = problem ? pastAcknowledgement(row, past, { folded, atMs: then.atMs }) : undefined;
  return {
    ...row,
    ...pastMeasurements(row, then.atMs),
    status: folded.status,
    stateType: folded.stateType,
    attempt: folded.attempt,
    output: folded.output,
    lastHardStatus: folded.lastHardStatus,
    lastChangeAtMs: folded.lastChangeAtMs,
    lastHardChangeAtMs: folded.lastHardChangeAtMs,
    flapping: pastFlapping(row, past),
    acknowledgement,
    downtimes,
    inDowntime: downtimes.some(({ inEffect }) => inEffect),
    comments: pastComments(row, past, then.atMs),
    toggles: pastToggles(row, past),
    nextCheckAtMs: undefined,
    notification: undefined,
  };
}

/** What the last check measured is kept only where that check is not younger than the instant. */
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

/** The state at the instant, with the downtimes that records up to it tell of. */
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
  // What had never been looked at when its first change came had not been earlier either.
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

/** What a record says of the time before it: little more than the status. */
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

/** All records up to the instant in the order in which things happened. */
const merged = (past: ObjectPast | undefined): readonly HistoryRecord[] =>
  past === undefined ? [] : [...past.before, ...past.downtimes].sort((a, b) => a.seq - b.seq);
