import type { Comment } from "../../model/annotation.ts";
import type { Downtime } from "../../model/downtime.ts";
import { knownWindow } from "../../model/downtime.ts";
import type { HistoryEntry } from "../../model/history.ts";
import { isProblem, type Status } from "../../model/status.ts";
import { allObjectTogglesOn } from "../../model/toggles.ts";
import type { Row } from "../../row/row.ts";
import { advanceDowntimes } from "./advance-downtimes.ts";
import { parseToggleText } from "./toggle-text.ts";

/** State of an object at a time, derived from its history. Times are Unix ms. */
export type FoldedState = Pick<
  Row,
  | "status"
  | "stateType"
  | "attempt"
  | "lastHardStatus"
  | "lastChangeAtMs"
  | "lastHardChangeAtMs"
  | "flapping"
  | "acknowledgement"
  | "comments"
  | "toggles"
> & {
  /** Output of the result that last changed the state. */
  readonly output: string;
  /** Downtimes on record. A recurring one comes from the configuration and is known here only once it has begun. */
  readonly downtimes: readonly Downtime[];
};

/** State before the first record: an object that has not been checked. */
export const initialFoldedState: FoldedState = {
  status: "pending",
  stateType: "hard",
  attempt: 1,
  output: "",
  lastHardStatus: "pending",
  lastChangeAtMs: undefined,
  lastHardChangeAtMs: undefined,
  flapping: false,
  acknowledgement: undefined,
  downtimes: [],
  comments: [],
  toggles: allObjectTogglesOn,
};

/**
 * Folds the history of one object into its state at a time. Records without an object count too: a toggle of the whole
 * realm may end flapping.
 *
 * Two facts are not recorded and so not reconstructed: a triggered downtime that began while another one was in
 * effect, because overlapping downtimes are recorded as one (a flexible one is derived from the first problem in its
 * window); and the order of a result and a timer within the same millisecond.
 *
 * @param records oldest first, ordered by sequence number; without gaps in the state changes while a flexible
 *                downtime waits for a problem
 * @param atMs    the requested time, Unix ms, not before the last record
 * @param from    state before the first record; default: `initialFoldedState`
 */
export function foldHistory(
  records: Iterable<HistoryEntry>,
  atMs: number,
  from: FoldedState = initialFoldedState,
): FoldedState {
  let state = from;
  let nowMs = Number.NEGATIVE_INFINITY;
  for (const record of records) {
    // A command's record has the time of its acceptance, which may be before a result recorded earlier.
    const nextMs = Math.max(nowMs, record.atMs);
    state = withDowntimesAt(foldRecord(advanceTime(state, nowMs, nextMs), record), nextMs);
    nowMs = nextMs;
  }
  return withDowntimesAt(advanceTime(state, nowMs, atMs), atMs);
}

/** Applies one record. */
function foldRecord(state: FoldedState, record: HistoryEntry): FoldedState {
  switch (record.type) {
    case "state":
      return record.status === undefined ? state : foldStatus(state, { ...record, status: record.status });
    case "flapping_start":
    case "flapping_stop":
      return { ...state, flapping: record.type === "flapping_start" };
    case "acknowledged":
      return record.acknowledgement === undefined ? state : { ...state, acknowledgement: record.acknowledgement };
    case "acknowledgement_removed":
      return { ...state, acknowledgement: undefined };
    case "downtime_scheduled":
    case "downtime_start":
      return { ...state, downtimes: withDowntime(state.downtimes, record.downtime) };
    case "downtime_end":
    case "downtime_cancelled":
      return { ...state, downtimes: state.downtimes.filter(({ id }) => id !== record.downtimeId) };
    case "comment_added":
    case "comment_deleted":
      return { ...state, comments: foldComment(state.comments, record) };
    case "toggle":
      return foldToggle(state, record);
    default:
      return state;
  }
}

function foldStatus(state: FoldedState, record: HistoryEntry & { readonly status: Status }): FoldedState {
  const { status, previousStatus, atMs } = record;
  // A recovery from a soft problem is recorded as soft, but OK is always a hard state.
  const stateType = isProblem(status) ? (record.stateType ?? "hard") : "hard";
  const isHard = stateType === "hard";
  return {
    ...state,
    status,
    stateType,
    attempt: record.attempt ?? 1,
    output: record.output ?? "",
    lastChangeAtMs: (previousStatus ?? state.status) === status ? state.lastChangeAtMs : atMs,
    lastHardStatus: isHard ? status : state.lastHardStatus,
    lastHardChangeAtMs: isHard && status !== state.lastHardStatus ? atMs : state.lastHardChangeAtMs,
  };
}

/** Adds a downtime, or replaces the known one with the same id. */
function withDowntime(downtimes: readonly Downtime[], downtime: Downtime | undefined): readonly Downtime[] {
  if (downtime === undefined) return downtimes;
  const exists = downtimes.some(({ id }) => id === downtime.id);
  return exists ? downtimes.map((known) => (known.id === downtime.id ? downtime : known)) : [...downtimes, downtime];
}

function foldComment(comments: readonly Comment[], record: HistoryEntry): readonly Comment[] {
  const id = record.commentId ?? "";
  if (record.type === "comment_deleted") return comments.filter((known) => known.id !== id);
  const { author = "", onBehalfOf = "", comment: text = "", atMs } = record;
  return [...comments, { id, author, onBehalfOf, text, atMs }];
}

/** Applies a toggle. Disabling flap detection, for the object or the realm, ends flapping without another record. */
function foldToggle(state: FoldedState, record: HistoryEntry): FoldedState {
  const change = parseToggleText(record.output ?? "");
  if (change === undefined) return state;
  const flapping = state.flapping && !(change.toggle === "flapDetection" && !change.enabled);
  if (record.key === undefined) return flapping === state.flapping ? state : { ...state, flapping };
  return { ...state, flapping, toggles: { ...state.toggles, [change.toggle]: change.enabled } };
}

function withDowntimesAt(state: FoldedState, nowMs: number): FoldedState {
  const downtimes = advanceDowntimes(state.downtimes, isProblem(state.status), nowMs);
  return downtimes === state.downtimes ? state : { ...state, downtimes };
}

/** Applies the passing of time: each downtime begins and ends when it is due. */
function advanceTime(state: FoldedState, fromMs: number, untilMs: number): FoldedState {
  let settled = state;
  for (let nowMs = fromMs; ; ) {
    const due = settled.downtimes
      .flatMap((each) => Object.values(knownWindow(each)))
      .filter((instant) => nowMs < instant && instant < untilMs);
    if (due.length === 0) return settled;
    nowMs = Math.min(...due);
    settled = withDowntimesAt(settled, nowMs);
  }
}
