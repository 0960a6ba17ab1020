import { isProblem, type Status, severityOf } from "@realmwatch/shared/model/status";
import type { Span, StatusSpan } from "./status-spans.ts";

/** One part of a heat bar. Durations are ms. */
export type HeatBucket = Span & {
  /** Worst hard status; undefined when there are no data at all. */
  readonly worst: Status | undefined;
  readonly noDataMs: number;
  readonly downtimeMs: number;
  /** Time with a problem. */
  readonly problemMs: number;
};

type HeatInput = {
  /** Cover the range, in order. */
  readonly statuses: readonly StatusSpan[];
  readonly downtimes: readonly Span[];
  readonly gaps: readonly Span[];
};

export type HeatResult = {
  readonly buckets: readonly HeatBucket[];
  /** Share of the time with a status and outside of downtimes that was OK, 0 to 1; undefined when no such time exists. */
  readonly okShare: number | undefined;
  /** Share of the range with a status other than pending, 0 to 1. */
  readonly evidence: number;
};

/** Divides a range into buckets of one length and computes what each of them shows. */
export function heatBuckets({ statuses, downtimes, gaps }: HeatInput, range: Span, count: number): HeatResult {
  const pieces = cut(statuses, downtimes, gaps);
  const lengthMs = (range.toMs - range.fromMs) / count;
  const buckets = Array.from({ length: count }, (_, at): MutableBucket => {
    const fromMs = range.fromMs + at * lengthMs;
    return { fromMs, toMs: fromMs + lengthMs, worst: undefined, noDataMs: 0, downtimeMs: 0, problemMs: 0 };
  });
  const total = { okMs: 0, problemMs: 0, knownMs: 0 };
  for (const piece of pieces) {
    const ms = piece.toMs - piece.fromMs;
    if (piece.status !== undefined && piece.status !== "pending") total.knownMs += ms;
    if (!piece.downtime && piece.status === "ok") total.okMs += ms;
    if (!piece.downtime && isBad(piece.status)) total.problemMs += ms;
    const last = Math.min(count - 1, Math.ceil((piece.toMs - range.fromMs) / lengthMs) - 1);
    for (let at = Math.floor((piece.fromMs - range.fromMs) / lengthMs); at <= last; at += 1) {
      const bucket = buckets[at];
      if (bucket !== undefined) addPiece(bucket, piece);
    }
  }
  const counted = total.okMs + total.problemMs;
  const okShare = counted > 0 ? total.okMs / counted : undefined;
  return { buckets, okShare, evidence: total.knownMs / (range.toMs - range.fromMs) };
}

type MutableBucket = { -readonly [Key in keyof HeatBucket]: HeatBucket[Key] };
type Piece = Span & { readonly status: Status | undefined; readonly downtime: boolean };

const isBad = (status: Status | undefined): boolean => status !== undefined && isProblem(status);

function addPiece(bucket: MutableBucket, { fromMs, toMs, status, downtime }: Piece): void {
  const ms = Math.min(toMs, bucket.toMs) - Math.max(fromMs, bucket.fromMs);
  if (ms <= 0) return;
  if (downtime) bucket.downtimeMs += ms;
  if (status === undefined) bucket.noDataMs += ms;
  else if (bucket.worst === undefined || severityOf[status] > severityOf[bucket.worst]) bucket.worst = status;
  if (isBad(status)) bucket.problemMs += ms;
}

/** Cuts the spans at the ends of downtimes and gaps; in a gap there is no status. */
function cut(statuses: readonly StatusSpan[], downtimes: readonly Span[], gaps: readonly Span[]): readonly Piece[] {
  const ends = [...new Set([...downtimes, ...gaps].flatMap(({ fromMs, toMs }) => [fromMs, toMs]))].sort(
    (a, b) => a - b,
  );
  return statuses.flatMap(({ fromMs, toMs, status }) => {
    const within = ends.filter((end) => end > fromMs && end < toMs);
    const starts = [fromMs, ...within];
    return starts.map((start, at): Piece => {
      const piece = { fromMs: start, toMs: within[at] ?? toMs };
      const isIn = (span: Span): boolean => span.fromMs <= piece.fromMs && span.toMs >= piece.toMs;
      return { ...piece, status: gaps.some(isIn) ? undefined : status, downtime: downtimes.some(isIn) };
    });
  });
}
