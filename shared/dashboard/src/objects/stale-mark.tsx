import { useSnapshot } from "../api/status-feed.ts";
import { optionalMs } from "../api/status-item.ts";
import { useNow, usePreference } from "../services/services.tsx";
import { usePast } from "../services/shown-past.tsx";
import { showShortInstant } from "../time/instant.ts";

/** `as of 12:41` on whatever belongs to a realm that is not heard of; nothing otherwise. */
export function StaleMark({ realm }: { realm: string }) {
  const { data } = useSnapshot("overview");
  const nowMs = useNow();
  const zone = usePreference("zone");
  const past = usePast();
  const owner = data?.realms.find(({ name }) => name === realm);
  if (past !== undefined || owner?.reachable !== false) return null;
  const lastSeenMs = optionalMs(owner.lastSeen);
  return (
    <span className="stale-mark">
      {lastSeenMs === undefined ? "never heard of" : `as of ${showShortInstant(lastSeenMs, nowMs, zone)}`}
    </span>
  );
}
