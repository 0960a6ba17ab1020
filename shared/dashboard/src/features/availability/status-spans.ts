import { type HistoryRecord, HistoryType } from "@realmwatch/proto/svc/v1/query_pb";
import { isProblem, type Status } from "@realmwatch/shared/model/status";
import { isSoftState, statusNameOf } from "@realmwatch/shared/view/row-status";
import { optionalMs } from "../../api/status/status-item.ts";

/** Time span [fromMs, toMs), Unix ms. */
export type Span = { readonly fromMs: number; readonly toMs: number };
/** Span with one hard status; undefined without data. */
export type StatusSpan = Span & { readonly status: Status | undefined };

/** Records of an object's past, each list in the order of time, and its present state. */
type StatusPast = {
  /** State changes in the range. */
  readonly states: readonly HistoryRecord[];
  /** Newest state changes before the range. */
  readonly statesBefore: readonly HistoryRecord[];
  /** Present hard status, and its beginning, Unix ms; for an object without records. */
  readonly present: { readonly status: Status; readonly sinceMs: number | undefined };
};

/** True for a record after which its status is the hard status: a soft problem leaves the hard status as it was. */
const setsHardStatus = ({ status, stateType }: HistoryRecord): boolean =>
  !isSoftState(stateType) || !isProblem(statusNameOf(status));

/** Hard status before a record without an older one: a soft problem began in its previous status, or in OK. */
function statusBefore({ status, previousStatus, stateType }: HistoryRecord): Status | undefined {
  const before = statusNameOf(previousStatus);
  if (before === "pending") return undefined;
  return isProblem(before) && (isSoftState(stateType) || status === previousStatus) ? "ok" : before;
}

/** Divides a range by the hard status of an object. The spans cover the range, and neighbours differ. */
export function statusSpans({ states, statesBefore, present }: StatusPast, range: Span): readonly StatusSpan[] {
  const spans: StatusSpan[] = [];
  let sinceMs = range.fromMs;
  let status: Status | undefined;
  const change = (atMs: number, to: Status | undefined): void => {
    if (to === status) return;
    if (atMs > sinceMs) spans.push({ fromMs: sinceMs, toMs: atMs, status });
    sinceMs = Math.max(sinceMs, atMs);
    status = to;
  };
  const first = statesBefore[0] ?? states[0];
  if (first !== undefined) status = statusBefore(first);
  else if (present.status !== "pending")
    change(Math.max(range.fromMs, present.sinceMs ?? range.fromMs), present.status);
  for (const record of [...statesBefore, ...states]) {
    const atMs = Math.min(range.toMs, Math.max(sinceMs, optionalMs(record.at) ?? 0));
    // An object that was removed and added again has no status in between.
    if (statusNameOf(record.previousStatus) === "pending" && status !== undefined) change(atMs, undefined);
    if (setsHardStatus(record)) change(atMs, statusNameOf(record.status));
  }
  if (sinceMs < range.toMs) spans.push({ fromMs: sinceMs, toMs: range.toMs, status });
  return spans;
}

/**
 * Times with a downtime in effect.
 *
 * @param edges starts, ends and cancellations of downtimes in the order of time, also those just before the range
 * @param inEffect true when a downtime is in effect now
 */
export function downtimeSpans(edges: readonly HistoryRecord[], inEffect: boolean, range: Span): readonly Span[] {
  const spans: Span[] = [];
  let openMs: number | undefined;
  const first = edges[0];
  if (first === undefined ? inEffect : first.type !== HistoryType.DOWNTIME_START) openMs = range.fromMs;
  const close = (toMs: number): void => {
    if (openMs !== undefined) spans.push({ fromMs: openMs, toMs });
    openMs = undefined;
  };
  for (const [at, { type, at: time, downtime }] of edges.entries()) {
    const atMs = optionalMs(time) ?? 0;
    const next = edges[at + 1];
    if (type === HistoryType.DOWNTIME_START) openMs ??= atMs;
    // The deletion of one that was not in effect changes nothing; after that of one that was, another may be.
    else if (type === HistoryType.DOWNTIME_CANCELLED) {
      const another = next === undefined ? inEffect : next.type !== HistoryType.DOWNTIME_START;
      if (downtime?.inEffect === true && !another) close(atMs);
    } else close(atMs);
  }
  if (openMs !== undefined) close(inEffect ? range.toMs : Math.min(range.toMs, lastEndMs(edges) ?? range.toMs));
  return spans.flatMap(({ fromMs, toMs }) => clip({ fromMs, toMs }, range));
}

/** Planned end of the downtime that began last, Unix ms. */
const lastEndMs = (edges: readonly HistoryRecord[]): number | undefined =>
  optionalMs(edges.findLast(({ type }) => type === HistoryType.DOWNTIME_START)?.downtime?.end);

/** Times for which history has no data: while the agent did not run. A loss of records counts as one instant. */
export const gapSpans = (gaps: readonly HistoryRecord[], range: Span): readonly Span[] =>
  gaps.flatMap(({ at, stoppedAt }) => {
    const toMs = optionalMs(at) ?? 0;
    return clip({ fromMs: optionalMs(stoppedAt) ?? toMs - 1, toMs }, range);
  });

function clip({ fromMs, toMs }: Span, range: Span): readonly Span[] {
  const clipped = { fromMs: Math.max(fromMs, range.fromMs), toMs: Math.min(toMs, range.toMs) };
  return clipped.fromMs < clipped.toMs ? [clipped] : [];
}
