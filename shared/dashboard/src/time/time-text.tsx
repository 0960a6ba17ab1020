import { useNow, usePreference } from "../services/services.tsx";
import { showDuration } from "./duration.ts";
import { isoInstant, showInstant, showNearInstant } from "./instant.ts";

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
