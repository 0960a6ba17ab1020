import { liveWithinMs, useSnapshot } from "../api/status-feed.ts";
import { useNow } from "../services/services.tsx";
import { showDuration } from "../time/duration.ts";

/** Whether what is shown is what is so: live, or how old. */
export function LivePill() {
  const { data, isError } = useSnapshot("overview");
  const nowMs = useNow();
  const ageMs = data === undefined ? undefined : nowMs - data.atMs;
  const state =
    ageMs === undefined ? (isError ? "lost" : "connecting") : isError || ageMs > liveWithinMs ? "lost" : "live";
  return (
    <p className={`live-pill is-${state}`}>
      <span className="live-dot" aria-hidden="true" />
      {state === "live" && "Live"}
      {state === "connecting" && "Connecting…"}
      {state === "lost" && (ageMs === undefined ? "Not connected" : `Reconnecting, ${showDuration(ageMs)} old`)}
    </p>
  );
}
