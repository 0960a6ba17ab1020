import { useNow, usePreference } from "../services/services.tsx";
import { showDuration } from "./duration.ts";
import { isoInstant, showInstant, showNearInstant } from "./instant.ts";

/** Below it, ms, what is due counts as being done: rows come every few seconds. */
const overdueMs = 10_000;

/** How long ago an instant was; the instant itself in the chosen zone is its title. */
export function Ago({ atMs, suffix = "" }: { atMs: number | undefined; suffix?: string }) {
  const nowMs = useNow();
  const zone = usePreference("zone");
  if (atMs === undefined) return <span className="muted">never</span>;
  return (
    <time dateTime={isoInstant(atMs)} title={`${showInstant(atMs, zone)}${zone === "utc" ? " UTC" : ""}`}>
      {showDuration(nowMs - atMs)}
      {suffix}
    </time>
  );
}

/** An instant in the chosen zone with the distance from now beside it: `12:41:07 (in 3 m)`; with its day unless that is today. */
export function Instant({ atMs }: { atMs: number | undefined }) {
  const nowMs = useNow();
  const zone = usePreference("zone");
  if (atMs === undefined) return <span className="muted">–</span>;
  const distance = atMs > nowMs ? `in ${showDuration(atMs - nowMs)}` : `${showDuration(nowMs - atMs)} ago`;
  return (
    <time dateTime={isoInstant(atMs)} title={isoInstant(atMs)}>
      {showNearInstant(atMs, nowMs, zone)} <span className="muted">({distance})</span>
    </time>
  );
}

/** An instant in the chosen zone; the distance is beside it only while the instant is still to come. */
export function End({ atMs }: { atMs: number }) {
  const nowMs = useNow();
  const zone = usePreference("zone");
  if (atMs > nowMs) return <Instant atMs={atMs} />;
  return <time dateTime={isoInstant(atMs)}>{showNearInstant(atMs, nowMs, zone)}</time>;
}

/** An instant that something is planned for. Once it has come it is due: rows are a moment older than the clock. */
export function Due({ atMs }: { atMs: number | undefined }) {
  const nowMs = useNow();
  const overdue = useOverdue(atMs);
  return atMs !== undefined && atMs <= nowMs && !overdue ? <>now</> : <Instant atMs={atMs} />;
}

/** Whether what was planned for an instant has not come, and not only because rows are a moment older than the clock. */
export function useOverdue(atMs: number | undefined): boolean {
  const nowMs = useNow();
  return atMs !== undefined && nowMs - atMs >= overdueMs;
}
