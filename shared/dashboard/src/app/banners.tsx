import type { Realm } from "@realmwatch/proto/svc/v1/query_pb";
import { useNow, usePreference } from "../api/context/app-context.tsx";
import { serverFailureOf } from "../api/server/server-failure.ts";
import { useServerInfo } from "../api/server/server-info.ts";
import { useConnection } from "../api/status/connection.ts";
import { useStatusSnapshot } from "../api/status/status-feed.ts";
import { optionalMs } from "../api/status/status-item.ts";
import { formatClockTime, formatShortDateTime } from "../components/time/format-date-time.ts";

/** Warnings about the rows below: lost connection, unreachable realms and disabled notifications. */
export function Banners() {
  const { data } = useStatusSnapshot("overview");
  const { info } = useServerInfo();
  const unreachable = data?.realms.filter(({ reachable }) => reachable === false) ?? [];
  const muted =
    data?.realms.filter(({ reachable, toggles }) => reachable && toggles?.notificationsEnabled === false) ?? [];
  return (
    <div className="banners" role="status">
      <ConnectionLost />
      {unreachable.map((realm) => (
        <UnreachableRealm key={realm.name} realm={realm} />
      ))}
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

function UnreachableRealm({ realm }: { realm: Realm }) {
  const { data } = useStatusSnapshot("problems");
  const nowMs = useNow();
  const zone = usePreference("zone");
  const lastSeenMs = optionalMs(realm.lastSeen);
  const problems = [...(data?.items.values() ?? [])].filter((item) => item.realm === realm.name).length;
  return (
    <p className="banner is-stale">
      {lastSeenMs === undefined ? (
        <>
          <strong>{realm.name} was never seen.</strong> Its state is not known.
        </>
      ) : (
        <>
          <strong>
            {realm.name} unreachable since {formatShortDateTime(lastSeenMs, nowMs, zone)}
          </strong>{" "}
          – its {problems} {problems === 1 ? "problem is" : "problems are"} as of that time. Commands to it are not
          available.
        </>
      )}
    </p>
  );
}
