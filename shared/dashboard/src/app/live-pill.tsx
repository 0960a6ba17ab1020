import { useNow } from "../api/context/app-context.tsx";
import { type ConnectionState, useConnection } from "../api/status/connection.ts";
import { useOverview } from "../api/status/overview.ts";
import { isCurrent } from "../api/status/realm-freshness.ts";
import { formatTimeSpan } from "../components/time/format-time-span.ts";

/** State of the connection: live, or the age of the displayed rows. Green only while every realm is current. */
export function LivePill() {
  const connection = useConnection();
  const { data } = useOverview();
  const nowMs = useNow();
  const realms = data?.realms ?? [];
  const outdated = realms.filter((realm) => !isCurrent(realm)).length;
  const isPartial = connection.state === "live" && outdated > 0;
  return (
    <p className={`live-pill is-${isPartial ? "partial" : connection.state}`}>
      <span className="live-dot" aria-hidden="true" />
      {isPartial ? `Live, ${realms.length - outdated} of ${realms.length} realms` : textOf(connection, nowMs)}
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
