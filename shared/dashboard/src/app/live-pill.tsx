import { type Connection, useConnection } from "../api/connection.ts";
import { useNow } from "../services/services.tsx";
import { showDuration } from "../time/duration.ts";

/** Whether what is shown is what is so: live, or how old. */
export function LivePill() {
  const connection = useConnection();
  const nowMs = useNow();
  return (
    <p className={`live-pill is-${connection.state}`}>
      <span className="live-dot" aria-hidden="true" />
      {textOf(connection, nowMs)}
    </p>
  );
}

function textOf(connection: Connection, nowMs: number): string {
  switch (connection.state) {
    case "live":
      return "Live";
    case "connecting":
      return "Connecting…";
    case "lost":
      return connection.asOfMs === undefined
        ? "Not connected"
        : `Reconnecting, ${showDuration(nowMs - connection.asOfMs)} old`;
  }
}
