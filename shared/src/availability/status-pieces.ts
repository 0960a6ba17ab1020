import type { Interval } from "../calendar/interval.ts";
import { isProblem, type Status } from "../model/status.ts";
import type { ObjectRecords, PresentState, StateTransition } from "./object-records.ts";

/** Interval with one hard status; undefined when the status is not known. */
export type StatusPiece = Interval & { readonly status: Status | undefined };

/** True for a record after which its status is the hard status: a soft problem leaves the hard status as it was. */
export const setsHardStatus = ({ status, stateType }: StateTransition): boolean =>
  status === undefined || stateType === "hard" || !isProblem(status);

/**
 * Hard status before a record without an older one. A soft problem whose beginning is not on record counts as one that
 * began in OK.
 */
function hardStatusBefore({ status, previousStatus, stateType }: StateTransition): Status | undefined {
  if (previousStatus === undefined || status === undefined) return previousStatus;
  if (!isProblem(previousStatus)) return previousStatus;
  return stateType === "soft" || status === previousStatus ? "ok" : previousStatus;
}

type StatusOptions = {
  readonly range: Interval;
  readonly present: PresentState;
  /** Times at which the configuration was replaced, ascending, Unix ms. */
  readonly configuredAtMs: readonly number[];
};

/** [SL2] Divides a range by the hard status of an object. The pieces cover the range. */
export function statusPieces(records: ObjectRecords, options: StatusOptions): readonly StatusPiece[] {
  const { fromMs, toMs } = options.range;
  const pieces: StatusPiece[] = [];
  let status: Status | undefined;
  let sinceMs = fromMs;
  let lastRecordMs = records.stateBefore?.atMs ?? Number.NEGATIVE_INFINITY;
  const change = (atMs: number, to: Status | undefined): void => {
    if (to === status) return;
    if (atMs > sinceMs) pieces.push({ fromMs: sinceMs, toMs: atMs, status });
    sinceMs = Math.max(sinceMs, atMs);
    status = to;
  };
  const start = startOf(records, options);
  status = start.status;
  if (start.changesAtMs !== undefined) change(Math.min(start.changesAtMs, toMs), start.later);
  for (const record of records.states) {
    // A command's record may have an earlier time than the record written before it.
    const atMs = Math.min(toMs, Math.max(sinceMs, record.atMs));
    if (record.previousStatus === "pending" && status !== "pending") {
      change(recreatedAfterMs(options.configuredAtMs, { fromMs: lastRecordMs, toMs: atMs }), undefined);
      change(atMs, "pending");
    }
    if (setsHardStatus(record)) change(atMs, record.status);
    lastRecordMs = record.atMs;
  }
  if (sinceMs < toMs) pieces.push({ fromMs: sinceMs, toMs, status });
  return pieces;
}

/** Status at the beginning of the range, and its change at a time that has no record. */
type Start = {
  readonly status: Status | undefined;
  readonly changesAtMs?: number | undefined;
  readonly later?: Status | undefined;
};

function startOf({ stateBefore, states, stateAfter }: ObjectRecords, { range, ...options }: StatusOptions): Start {
  if (stateBefore !== undefined)
    return { status: setsHardStatus(stateBefore) ? stateBefore.status : hardStatusBefore(stateBefore) };
  const first = states[0] ?? stateAfter;
  if (first !== undefined) {
    const status = hardStatusBefore(first);
    // Before the last configuration the object may not have existed.
    const configured = status === "pending" ? options.configuredAtMs.findLast((atMs) => atMs <= first.atMs) : undefined;
    return configured === undefined || configured <= range.fromMs
      ? { status }
      : { status: undefined, changesAtMs: configured, later: status };
  }
  const { lastHardStatus, lastHardChangeAtMs = Number.NEGATIVE_INFINITY } = options.present;
  return lastHardChangeAtMs <= range.fromMs
    ? { status: lastHardStatus }
    : { status: undefined, changesAtMs: lastHardChangeAtMs, later: lastHardStatus };
}

/**
 * Earliest time at which an object can have been removed that was added again later: the first configuration in the
 * interval, else its beginning.
 */
const recreatedAfterMs = (configuredAtMs: readonly number[], { fromMs, toMs }: Interval): number =>
  configuredAtMs.find((atMs) => atMs > fromMs && atMs <= toMs) ?? Math.max(fromMs, 0);
