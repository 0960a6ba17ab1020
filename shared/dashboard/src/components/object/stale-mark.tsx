import { useNow, usePreference } from "../../api/context/app-context.tsx";
import { usePastView } from "../../api/context/past-view.tsx";
import { useStatusSnapshot } from "../../api/status/status-feed.ts";
import { optionalMs } from "../../api/status/status-item.ts";
import { formatShortDateTime } from "../time/format-date-time.ts";

/** Mark `as of 12:41` for objects and contacts of an unreachable realm; empty for a reachable one. */
export function StaleMark({ realm }: { realm: string }) {
  const { data } = useStatusSnapshot("overview");
  const nowMs = useNow();
  const zone = usePreference("zone");
  const past = usePastView();
  const owner = data?.realms.find(({ name }) => name === realm);
  if (past !== undefined || owner?.reachable !== false) return null;
  const lastSeenMs = optionalMs(owner.lastSeen);
  return (
    <span className="stale-mark">
      {lastSeenMs === undefined ? "never seen" : `as of ${formatShortDateTime(lastSeenMs, nowMs, zone)}`}
    </span>
  );
}
