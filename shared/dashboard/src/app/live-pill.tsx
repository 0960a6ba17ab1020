import { useNow } from "../api/context/app-context.tsx";
import { type ConnectionState, useConnection } from "../api/status/connection.ts";
import { formatTimeSpan } from "../components/time/format-time-span.ts";

/** State of the connection: live, or the age of the displayed rows. */
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

function textOf(connection: ConnectionState, nowMs: number): string {
  switch (connection.state) {
    case "live":
      return "Live";
    case "connecting":
      return "Connecting…";
    case "lost":
      return connection.asOfMs === undefined
        ? "Not connected"
        : `Reconnecting, ${formatTimeSpan(nowMs - connection.asOfMs)} old`;
  }
}
