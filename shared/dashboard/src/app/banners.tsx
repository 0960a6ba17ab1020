import type { Realm } from "@realmwatch/proto/svc/v1/query_pb";
import { useNow, usePreference } from "../api/context/app-context.tsx";
import { callFailureOf } from "../api/server/call-failure.ts";
import { useServerInfo } from "../api/server/server-info.ts";
import { useConnection } from "../api/status/connection.ts";
import { useStatusSnapshot } from "../api/status/status-feed.ts";
import { optionalMs } from "../api/status/status-item.ts";
import { formatClockTime, formatShortDateTime } from "../components/time/format-date-time.ts";

/** What an operator has to know before trusting any row below: what is not heard of and what tells nobody. */
export function Banners() {
  const { data } = useStatusSnapshot("overview");
  const { info } = useServerInfo();
  const silent = data?.realms.filter(({ reachable }) => reachable === false) ?? [];
  const muted =
    data?.realms.filter(({ reachable, toggles }) => reachable && toggles?.notificationsEnabled === false) ?? [];
  return (
    <div className="banners" role="status">
      <ConnectionLost />
      {silent.map((realm) => (
        <UnreachableRealm key={realm.name} realm={realm} />
      ))}
      {info?.toggles?.notificationsEnabled === false && (
        <p className="banner is-warning">
          <strong>Notifications are switched off</strong> in this realm: nobody is told of anything.
        </p>
      )}
      {muted.map(({ name }) => (
        <p key={name} className="banner is-warning">
          <strong>Notifications are switched off</strong> in realm {name}: nobody is told of its problems.
        </p>
      ))}
    </div>
  );
}

function ConnectionLost() {
  const connection = useConnection();
  const zone = usePreference("zone");
  if (connection.state !== "lost" || connection.asOfMs === undefined) return null;
  const failure = connection.error === null ? undefined : callFailureOf(connection.error);
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
          <strong>{realm.name} was never heard of.</strong> Nothing is known of it.
        </>
      ) : (
        <>
          <strong>
            {realm.name} unreachable since {formatShortDateTime(lastSeenMs, nowMs, zone)}
          </strong>{" "}
          – its {problems} {problems === 1 ? "problem is" : "problems are"} as of then. Commands to it are off.
        </>
      )}
    </p>
  );
}
