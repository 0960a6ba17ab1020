import type { Acknowledgement, Comment } from "../words/annotation.ts";
import type { Downtime } from "../words/downtime.ts";
import type { HistoryRecord } from "../words/history.ts";
import type { Row } from "../words/row.ts";
import { isProblem } from "../words/status.ts";
import type { ObjectToggles } from "../words/toggles.ts";
import { type FoldedState, foldHistory, nothingHappened } from "./fold-history.ts";
import { type ObjectPast, tellsState } from "./past-evidence.ts";
import { settleDowntimes } from "./settle-downtimes.ts";
import { readToggle } from "./toggle-text.ts";

export type Then = {
  readonly atMs: number;
  /** Whether the realm's history reaches back to the instant. */
  readonly reached: boolean;
};

/** Says of a row that history does not reach back to it. */
export const noEvidence = "history does not reach back so far";

/**
 * A row as it was at an instant, by the row as it is now and by what history recorded around the instant. What
 * covers it (its host, its parents) is not looked at; see `coverThen`. What nobody records, such as the instant of the
 * next check, is left out; labels and the like are those of now.
 */
export function rowThen(row: Row, past: ObjectPast | undefined, then: Then): Row {
  const folded = foldedThen(row, past, then);
  const downtimes = downtimesThen(row, past, { folded, atMs: then.atMs });
  const problem = isProblem(folded.status);
  const acknowledgement = problem ? acknowledgementThen(row, past, { folded, atMs: then.atMs }) : undefined;
  return {
    ...row,
    ...measuredThen(row, then.atMs),
    status: folded.status,
    stateType: folded.stateType,
    attempt: folded.attempt,
    output: folded.output,
    lastHardStatus: folded.lastHardStatus,
    lastChangeAtMs: folded.lastChangeAtMs,
    lastHardChangeAtMs: folded.lastHardChangeAtMs,
    flapping: flappingThen(row, past),
    acknowledgement,
    downtimes,
    inDowntime: downtimes.some(({ inEffect }) => inEffect),
    comments: commentsThen(row, past, then.atMs),
    toggles: togglesThen(row, past),
    nextCheckAtMs: undefined,
    notification: undefined,
  };
}

/** What the last check measured is kept only where that check is not younger than the instant. */
const measuredThen = ({ lastCheckAtMs }: Row, atMs: number): Partial<Row> =>
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
function foldedThen(row: Row, past: ObjectPast | undefined, { atMs, reached }: Then): FoldedState {
  const states = (past?.before ?? []).filter(tellsState);
  const isAsNow = past?.nextState === undefined && (row.lastChangeAtMs === undefined || row.lastChangeAtMs <= atMs);
  if (isAsNow) return foldHistory(past?.downtimes ?? [], atMs, stateOf(row));
  const first = states.at(-1);
  if (first !== undefined) {
    const folded = foldHistory(merged(past), atMs, stateBefore(first, row));
    return { ...folded, lastHardChangeAtMs: folded.lastHardChangeAtMs ?? olderThan(atMs, row.lastHardChangeAtMs) };
  }
  const next = past?.nextState;
  // What had never been looked at when its first change came had not been earlier either.
  const isKnown = next !== undefined && (reached || next.previousStatus === "pending");
  const start = isKnown ? stateBefore(next, row) : { ...nothingHappened, output: noEvidence };
  return foldHistory(past?.downtimes ?? [], atMs, start);
}

const olderThan = (atMs: number, instant: number | undefined): number | undefined =>
  instant !== undefined && instant <= atMs ? instant : undefined;

const stateOf = (row: Row): FoldedState => ({
  ...nothingHappened,
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
    ...nothingHappened,
    status: previousStatus,
    stateType: soft ? "soft" : "hard",
    attempt: soft ? Math.max(1, (attempt ?? 2) - 1) : problem ? row.maxAttempts : 1,
    lastHardStatus: soft ? "ok" : previousStatus,
  };
}

/** All records up to the instant in the order in which things happened. */
const merged = (past: ObjectPast | undefined): readonly HistoryRecord[] =>
  past === undefined ? [] : [...past.before, ...past.downtimes].sort((a, b) => a.seq - b.seq);

type Known = { readonly folded: FoldedState; readonly atMs: number };

/** The first acknowledgement or removal after the instant tells most; else the one of now was there. */
function acknowledgementThen(
  row: Row,
  past: ObjectPast | undefined,
  { folded, atMs }: Known,
): Acknowledgement | undefined {
  const next = past?.later.find(
    ({ type, because }) => type === "acknowledgement_removed" || (type === "acknowledged" && because === undefined),
  );
  if (next === undefined) return givenBy(row.acknowledgement, atMs);
  const removed = next.type === "acknowledgement_removed" ? next.acknowledgement : undefined;
  if (removed !== undefined) return givenBy(removed, atMs);
  return folded.acknowledgement ?? foldHistory([...(past?.before ?? [])].reverse(), atMs).acknowledgement;
}

const givenBy = <T extends { readonly atMs: number }>(given: T | undefined, atMs: number): T | undefined =>
  given !== undefined && given.atMs <= atMs ? given : undefined;

function commentsThen(row: Row, past: ObjectPast | undefined, atMs: number): readonly Comment[] {
  const deleted = past?.later.flatMap(({ deletedComment }) => deletedComment ?? []) ?? [];
  if (row.comments.length === 0 && deleted.length === 0) return row.comments;
  return [...row.comments, ...deleted].filter((comment) => comment.atMs <= atMs).sort((a, b) => a.atMs - b.atMs);
}

/** Each switch stood the other way round before it was first moved. */
function togglesThen(row: Row, past: ObjectPast | undefined): ObjectToggles {
  const toggles = { ...row.toggles };
  for (const { type, output = "" } of past?.later.toReversed() ?? []) {
    const change = type === "toggle" ? readToggle(output) : undefined;
    if (change !== undefined) toggles[change.toggle] = !change.enabled;
  }
  return toggles;
}

/** Flapping that ended because detection was switched off has no record of its end: it counts as calm. */
function flappingThen(row: Row, past: ObjectPast | undefined): boolean {
  const next = past?.later.find(({ type }) => type === "flapping_start" || type === "flapping_stop");
  return next === undefined ? row.flapping : next.type === "flapping_stop";
}

/**
 * Downtimes that were there at the instant: those of now that were not scheduled later, those that ended or were
 * deleted since, and those that only earlier records still know of. What knows best when one began wins.
 */
function downtimesThen(row: Row, past: ObjectPast | undefined, { folded, atMs }: Known): readonly Downtime[] {
  const later = past?.later.filter(({ downtime }) => downtime !== undefined) ?? [];
  if (row.downtimes.length + folded.downtimes.length + later.length === 0) return row.downtimes;
  const newer = new Set(later.flatMap(({ type, downtimeId }) => (type === "downtime_scheduled" ? [downtimeId] : [])));
  const known = new Map(folded.downtimes.map((downtime) => [downtime.id, downtime]));
  for (const downtime of [...later.flatMap(({ downtime }) => downtime ?? []), ...row.downtimes]) {
    if (newer.has(downtime.id)) continue;
    const earlier = known.get(downtime.id);
    if (earlier === undefined || activeBy(downtime, atMs)) known.set(downtime.id, asPending(downtime, atMs));
  }
  const settled = settleDowntimes([...known.values()], isProblem(folded.status), atMs);
  // The next occurrence of a recurring one is the configuration's, and there at any time.
  const recurring = row.downtimes.filter(
    ({ id, shape }) => shape.kind === "recurring" && !settled.some((d) => d.id === id),
  );
  return [...settled, ...recurring.map((downtime) => ({ ...downtime, inEffect: false }))];
}

const activeBy = ({ shape }: Downtime, atMs: number): boolean =>
  "active" in shape && shape.active !== undefined && shape.active.fromMs <= atMs;

/** The downtime as it was before it began, where it began after the instant. */
function asPending(downtime: Downtime, atMs: number): Downtime {
  const { shape } = downtime;
  if (!("active" in shape) || shape.active === undefined || shape.active.fromMs <= atMs) return downtime;
  return { ...downtime, inEffect: false, shape: { ...shape, active: undefined } };
}
