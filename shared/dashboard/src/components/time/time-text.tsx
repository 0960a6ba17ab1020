import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { useAppContext, useNow, usePreference } from "../../api/context/app-context.tsx";
import type { DisplayZone } from "../../api/context/preferences.ts";
import { optionalMs } from "../../api/status/status-item.ts";
import { formatDateTime, formatNearDateTime, formatShortDateTime, isoInstant } from "./format-date-time.ts";
import { formatShortAge, formatTimeSpan } from "./format-time-span.ts";

/** Delay up to which a scheduled event counts as due now, ms: rows are a few seconds old. */
const overdueMs = 10_000;

type TimeAgoProps = { atMs: number | undefined; suffix?: string; format?: (ms: number) => string };

/** Age of a time; the title has the time itself in the chosen zone. */
export function TimeAgo({ atMs, suffix = "", format = formatTimeSpan }: TimeAgoProps) {
  const nowMs = useNow();
  const zone = usePreference("zone");
  if (atMs === undefined) return <span className="muted">never</span>;
  return (
    <time dateTime={isoInstant(atMs)} title={`${formatDateTime(atMs, zone)} (${isoInstant(atMs)})`}>
      {format(nowMs - atMs)}
      {suffix}
    </time>
  );
}

/** Age of a time in its largest unit, for columns. */
export const Age = ({ atMs }: { atMs: number | undefined }) => <TimeAgo atMs={atMs} format={formatShortAge} />;

/** A time in the chosen zone with its distance from now: `12:41:07 (in 3 m)`; with the date unless that is today. */
export function DateTime({ atMs }: { atMs: number | undefined }) {
  const nowMs = useNow();
  const zone = usePreference("zone");
  if (atMs === undefined) return <span className="muted">–</span>;
  const distance = atMs > nowMs ? `in ${formatTimeSpan(atMs - nowMs)}` : `${formatTimeSpan(nowMs - atMs)} ago`;
  return (
    <time dateTime={isoInstant(atMs)} title={isoInstant(atMs)}>
      {formatNearDateTime(atMs, nowMs, zone)} <span className="muted">({distance})</span>
    </time>
  );
}

/** A time in the chosen zone, with its distance from now only while it is in the future. */
export function EndTime({ atMs }: { atMs: number }) {
  const nowMs = useNow();
  const zone = usePreference("zone");
  if (atMs > nowMs) return <DateTime atMs={atMs} />;
  return <time dateTime={isoInstant(atMs)}>{formatNearDateTime(atMs, nowMs, zone)}</time>;
}

type RecordTimeProps = { at: Timestamp | undefined; format: (atMs: number, zone: DisplayZone) => string };

/** Time of a record; the title has the instant, and its age at the time of rendering, so that no record ticks. */
export function RecordTime({ at, format }: RecordTimeProps) {
  const { now } = useAppContext();
  const zone = usePreference("zone");
  const atMs = optionalMs(at) ?? 0;
  return (
    <time dateTime={isoInstant(atMs)} title={`${isoInstant(atMs)}, ${formatTimeSpan(now.get() - atMs)} ago`}>
      {format(atMs, zone)}
    </time>
  );
}

/** Time of a scheduled event. Just after that time it reads "now", because rows are a little older than the clock. */
export function DueTime({ atMs }: { atMs: number | undefined }) {
  const nowMs = useNow();
  const overdue = useOverdue(atMs);
  return atMs !== undefined && atMs <= nowMs && !overdue ? "now" : <DateTime atMs={atMs} />;
}

/** True when a scheduled event is late by more than the age of the rows explains. */
export function useOverdue(atMs: number | undefined): boolean {
  const nowMs = useNow();
  return atMs !== undefined && nowMs - atMs >= overdueMs;
}

/** Returns a function that formats a time as `12:41`, with the date when it is not that of now, or of another time. */
export function useShortTime(): (atMs: number, nearMs?: number) => string {
  const nowMs = useNow();
  const zone = usePreference("zone");
  return (atMs, nearMs = nowMs) => formatShortDateTime(atMs, nearMs, zone);
}
