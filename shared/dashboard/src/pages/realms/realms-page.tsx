import { durationMs } from "@bufbuild/protobuf/wkt";
import type { Realm } from "@realmwatch/proto/svc/v1/query_pb";
import { Link } from "@tanstack/react-router";
import { useServerInfo } from "../../api/server/server-info.ts";
import { useStatusSnapshot } from "../../api/status/status-feed.ts";
import { optionalMs } from "../../api/status/status-item.ts";
import { EmptyState } from "../../components/feedback/empty-state.tsx";
import { Mark } from "../../components/object/object-marks.tsx";
import { usePageTitle } from "../../components/page-title/use-page-title.ts";
import { StatusIcon } from "../../components/status/status-icon.tsx";
import { formatTimeSpan } from "../../components/time/format-time-span.ts";
import { DateTime } from "../../components/time/time-text.tsx";
import "../../components/table/plain-table.css";
import "./realms.css";

/** Clock skew from which a realm is marked, ms: its times can then not be compared with those of this browser. */
const skewWarningMs = 30_000;

/** Realms with their connection and number of problems. */
export function RealmsPage() {
  usePageTitle("Realms");
  const { info } = useServerInfo();
  const { data } = useStatusSnapshot("overview");
  const realms = data?.realms ?? [];
  return (
    <>
      <header className="page-head">
        <h1>Realms</h1>
        <p className="page-count">
          {realms.filter(({ reachable }) => reachable).length} of {realms.length} reachable
        </p>
      </header>
      {info?.aggregator === false && (
        <EmptyState title="This is a single realm's agent">
          <p>On an aggregator this page lists several realms. This agent monitors realm {info.realm}.</p>
        </EmptyState>
      )}
      {info?.aggregator === true && realms.length === 0 && <EmptyState title="No realms are configured" />}
      {realms.length > 0 && <RealmTable realms={realms} />}
    </>
  );
}

function RealmTable({ realms }: { realms: readonly Realm[] }) {
  return (
    <table className="plain-table realm-table">
      <thead>
        <tr>
          <th scope="col">Realm</th>
          <th scope="col">Connection</th>
          <th scope="col">Last seen</th>
          <th scope="col" className="number">
            Unhandled
          </th>
          <th scope="col" className="number">
            Problems
          </th>
          <th scope="col">Description</th>
        </tr>
      </thead>
      <tbody>
        {realms.map((realm) => (
          <RealmLine key={realm.name} realm={realm} />
        ))}
      </tbody>
    </table>
  );
}

function RealmLine({ realm }: { realm: Realm }) {
  const { data } = useStatusSnapshot("problems");
  const own = [...(data?.items.values() ?? [])].filter((item) => item.realm === realm.name);
  const unhandled = own.filter(({ handled }) => !handled).length;
  const skewMs = realm.clockSkew === undefined ? 0 : durationMs(realm.clockSkew);
  return (
    <tr className={realm.reachable ? "" : "is-stale"}>
      <th scope="row">{realm.name}</th>
      <td>
        <span
          className={`reach ${realm.reachable ? "is-reachable" : "is-unreachable"}`}
          data-status={realm.reachable ? "ok" : "unreachable"}
        >
          <StatusIcon status={realm.reachable ? "ok" : "unreachable"} />
          {realm.reachable ? "reachable" : "unreachable"}
        </span>
        {Math.abs(skewMs) > skewWarningMs && (
          <Mark icon="clock" title="The times of this realm are off by this amount">
            clock {formatTimeSpan(Math.abs(skewMs))} {skewMs > 0 ? "ahead" : "behind"}
          </Mark>
        )}
        {realm.toggles?.notificationsEnabled === false && (
          <Mark icon="muted" title="Notifications are disabled in this realm">
            notifications off
          </Mark>
        )}
      </td>
      <td>
        <DateTime atMs={optionalMs(realm.lastSeen)} />
      </td>
      <td className="number">
        <Link
          to="/"
          search={{ realm: realm.name }}
          className="list-link"
          aria-label={`${unhandled} unhandled problems of ${realm.name}`}
        >
          {unhandled}
        </Link>
      </td>
      <td className="number">
        <Link
          to="/"
          search={{ realm: realm.name, handled: "1" }}
          className="list-link"
          aria-label={`${own.length} problems of ${realm.name}`}
        >
          {own.length}
        </Link>
      </td>
      <td>
        {realm.description}{" "}
        {Object.entries(realm.labels).map(([key, value]) => (
          <span key={key} className="label">
            {key}={value}
          </span>
        ))}
      </td>
    </tr>
  );
}
