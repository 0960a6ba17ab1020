import { useNow, usePreference } from "../../api/context/app-context.tsx";
import { formatDateTime, formatNearDateTime, isoInstant } from "./format-date-time.ts";
import { formatTimeSpan } from "./format-time-span.ts";

/** Below it, ms, what is due counts as being done: rows come every few seconds. */
const overdueMs = 10_000;

/** How long ago an instant was; the instant itself in the chosen zone is its title. */
export function TimeAgo({ atMs, suffix = "" }: { atMs: number | undefined; suffix?: string }) {
  const nowMs = useNow();
  const zone = usePreference("zone");
  if (atMs === undefined) return <span className="muted">never</span>;
  return (
    <time dateTime={isoInstant(atMs)} title={`${formatDateTime(atMs, zone)}${zone === "utc" ? " UTC" : ""}`}>
      {formatTimeSpan(nowMs - atMs)}
      {suffix}
    </time>
  );
}

/** An instant in the chosen zone with the distance from now beside it: `12:41:07 (in 3 m)`; with its day unless that is today. */
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

/** An instant in the chosen zone; the distance is beside it only while the instant is still to come. */
export function EndTime({ atMs }: { atMs: number }) {
  const nowMs = useNow();
  const zone = usePreference("zone");
  if (atMs > nowMs) return <DateTime atMs={atMs} />;
  return <time dateTime={isoInstant(atMs)}>{formatNearDateTime(atMs, nowMs, zone)}</time>;
}

/** An instant that something is planned for. Once it has come it is due: rows are a moment older than the clock. */
export function DueTime({ atMs }: { atMs: number | undefined }) {
  const nowMs = useNow();
  const overdue = useOverdue(atMs);
  return atMs !== undefined && atMs <= nowMs && !overdue ? <>now</> : <DateTime atMs={atMs} />;
}

/** Whether what was planned for an instant has not come, and not only because rows are a moment older than the clock. */
export function useOverdue(atMs: number | undefined): boolean {
  const nowMs = useNow();
  return atMs !== undefined && nowMs - atMs >= overdueMs;
}
