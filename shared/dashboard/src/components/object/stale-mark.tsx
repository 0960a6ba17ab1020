import { usePastView } from "../../api/context/past-view.ts";
import { useRealm } from "../../api/status/overview.ts";
import { isCurrent, lastKnownAtMs } from "../../api/status/realm-freshness.ts";
import { useShortTime } from "../time/time-text.tsx";

/** Mark `as of 12:41` for objects and contacts of a realm that is not current; empty for a current one. */
export function StaleMark({ realm }: { realm: string }) {
  const shortTime = useShortTime();
  const past = usePastView();
  const owner = useRealm(realm);
  if (past !== undefined || owner === undefined || isCurrent(owner)) return null;
  const atMs = lastKnownAtMs(owner);
  return <span className="stale-mark">{atMs === undefined ? "never seen" : `as of ${shortTime(atMs)}`}</span>;
}
