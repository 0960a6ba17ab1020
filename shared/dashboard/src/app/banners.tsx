import { Link } from "@tanstack/react-router";
import { useNow, usePreference } from "../api/context/app-context.tsx";
import { serverFailureOf } from "../api/server/server-failure.ts";
import { useServerInfo } from "../api/server/server-info.ts";
import { useConnection } from "../api/status/connection.ts";
import { useStatusSnapshot } from "../api/status/status-feed.ts";
import { formatClockTime } from "../components/time/format-date-time.ts";
import { realmBanners } from "./realm-banners.ts";

/** Warnings about the rows below: lost connection, realms that are not current, disabled notifications. */
export function Banners() {
  const { data } = useStatusSnapshot("overview");
  const { info } = useServerInfo();
  const muted =
    data?.realms.filter(({ reachable, toggles }) => reachable && toggles?.notificationsEnabled === false) ?? [];
  return (
    // Screen readers announce new banners only, not the numbers in them that change with every poll.
    <div className="banners" role="status" aria-atomic="false" aria-relevant="additions">
      <ConnectionLost />
      <RealmBanners />
      {info?.toggles?.notificationsEnabled === false && (
        <p className="banner is-warning">
          <strong>Notifications are disabled</strong> in this realm: none is sent.
        </p>
      )}
      {muted.map(({ name }) => (
        <p key={name} className="banner is-warning">
          <strong>Notifications are disabled</strong> in realm {name}: none is sent.
        </p>
      ))}
    </div>
  );
}

function ConnectionLost() {
  const connection = useConnection();
  const zone = usePreference("zone");
  if (connection.state !== "lost" || connection.asOfMs === undefined) return null;
  const failure = connection.error === null ? undefined : serverFailureOf(connection.error);
  return (
    <p className="banner is-bad">
      <strong>Connection lost.</strong> Rows are as of {formatClockTime(connection.asOfMs, zone)}. Trying again every
      few seconds. <code>{failure?.code}</code> {failure?.message}
    </p>
  );
}

/** One line for each state; a text that is too long is cut, so that no change of it moves the content. */
function RealmBanners() {
  const { data } = useStatusSnapshot("overview");
  const nowMs = useNow();
  const zone = usePreference("zone");
  return realmBanners(data?.realms ?? [], { nowMs, zone }).map(({ freshness, title, text }) => (
    <p key={freshness} className={`banner is-realms is-${freshness}`}>
      <span className="banner-line" title={`${title}: ${text}`}>
        <strong>{title}</strong>: {text}
      </span>
      <Link to="/realms">Realms</Link>
    </p>
  ));
}
