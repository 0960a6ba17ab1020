import { never } from "@realmwatch/shared/model/never";
import { useAppContext, useNow } from "../api/context/app-context.tsx";
import { useStoreValue } from "../api/context/value-store.ts";
import { type ConnectionState, useConnection } from "../api/status/connection.ts";
import { useOverview } from "../api/status/overview.ts";
import { isCurrent } from "../api/status/realm-freshness.ts";
import { formatCounter } from "../components/time/format-time-span.ts";

/**
 * State of the connection: live, paused while a changed list is held or after the tab was hidden, or the age of the
 * displayed rows. Green only while every realm is current.
 */
export function LivePill() {
  const connection = useConnection();
  const listHeld = useStoreValue(useAppContext().listHeld);
  const { data } = useOverview();
  const nowMs = useNow();
  const realms = data?.realms ?? [];
  const outdated = realms.filter((realm) => !isCurrent(realm)).length;
  const shown: ConnectionState = connection.state === "live" && listHeld ? { state: "paused" } : connection;
  const isPartial = shown.state === "live" && outdated > 0;
  return (
    <p className={`live-pill is-${isPartial ? "partial" : shown.state}`}>
      <span className="live-dot" aria-hidden="true" />
      {isPartial ? `Live, ${realms.length - outdated} of ${realms.length} realms` : textOf(shown, nowMs)}
    </p>
  );
}

function textOf(connection: ConnectionState, nowMs: number): string {
  switch (connection.state) {
    case "live":
      return "Live";
    case "paused":
      return "Paused";
    case "connecting":
      return "Connecting…";
    case "lost":
      return connection.asOfMs === undefined
        ? "Not connected"
        : `Reconnecting ${formatCounter(nowMs - connection.asOfMs)}`;
    default:
      return never(connection);
  }
}
