import { durationMs } from "@bufbuild/protobuf/wkt";
import type { Realm, StatusSummary } from "@realmwatch/proto/svc/v1/query_pb";
import { isProblem } from "@realmwatch/shared/model/status";
import { realmFreshnessOf } from "@realmwatch/shared/view/realm-freshness";
import { statusNameOf } from "@realmwatch/shared/view/row-status";
import { Link } from "@tanstack/react-router";
import { useNow } from "../../api/context/app-context.tsx";
import { useServerInfo } from "../../api/server/server-info.ts";
import { useOverview } from "../../api/status/overview.ts";
import { isCurrent } from "../../api/status/realm-freshness.ts";
import { optionalMs } from "../../api/status/status-item.ts";
import { useRealmSummaries } from "../../api/status/use-realm-summaries.ts";
import { EmptyState } from "../../components/feedback/empty-state.tsx";
import { FreshnessMark } from "../../components/object/freshness-mark.tsx";
import { Mark } from "../../components/object/object-marks.tsx";
import { PageHead } from "../../components/page-title/page-head.tsx";
import { formatTimeSpan } from "../../components/time/format-time-span.ts";
import { DateTime } from "../../components/time/time-text.tsx";
import "../../components/table/plain-table.css";
import "./realms.css";

/** Clock skew from which a realm is marked, ms: its times can then not be compared with those of this browser. */
const skewWarningMs = 30_000;

/** Realms with the evidence about their rows and their number of problems. */
export function RealmsPage() {
  const { info } = useServerInfo();
  const { data } = useOverview();
  const realms = data?.realms ?? [];
  return (
    <>
      <PageHead title="Realms" count={`${realms.filter(isCurrent).length} of ${realms.length} current`} />
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
  const summaries = useRealmSummaries();
  return (
    <table className="plain-table card-table realm-table">
      <thead>
        <tr>
          <th scope="col">Realm</th>
          <th scope="col">Freshness</th>
          <th scope="col">Last seen</th>
          <th scope="col" className="number">
            Rows held / expected
          </th>
          <th scope="col" className="number">
            Unhandled
          </th>
          <th scope="col" className="number">
            Problems
          </th>
          <th scope="col">Version</th>
          <th scope="col">Clock skew</th>
          <th scope="col">Detail</th>
        </tr>
      </thead>
      <tbody>
        {realms.map((realm) => (
          <RealmLine key={realm.name} realm={realm} summary={summaries.get(realm.name)} />
        ))}
      </tbody>
    </table>
  );
}

function RealmLine({ realm, summary }: { realm: Realm; summary: StatusSummary | undefined }) {
  const unhandled = summary?.unhandled ?? 0;
  const problems = problemsOf(summary);
  return (
    <tr className={isCurrent(realm) ? "" : "is-stale"}>
      <th scope="row">
        {realm.name}
        <span className="realm-about">
          {realm.description}{" "}
          {Object.entries(realm.labels).map(([key, value]) => (
            <span key={key} className="label">
              {key}={value}
            </span>
          ))}
        </span>
      </th>
      <td data-label="Freshness">
        <FreshnessMark freshness={realmFreshnessOf(realm)} />
        <Lag sinceMs={optionalMs(realm.behindSince)} />
        {realm.toggles?.notificationsEnabled === false && (
          <Mark icon="muted" title="Notifications are disabled in this realm">
            notifications off
          </Mark>
        )}
      </td>
      <td data-label="Last seen">
        {realm.reachable === true ? "now" : <DateTime atMs={optionalMs(realm.lastSeen)} />}
      </td>
      <td className="number" data-label="Rows">
        {realm.rowsHeld} / {realm.rowsExpected === 0 && realm.rowsHeld > 0 ? "–" : realm.rowsExpected}
      </td>
      <td className="number" data-label="Unhandled">
        <Link
          to="/"
          search={{ realm: realm.name }}
          className="list-link"
          aria-label={`${unhandled} unhandled problems of ${realm.name}`}
        >
          {unhandled}
        </Link>
      </td>
      <td className="number" data-label="Problems">
        <Link
          to="/"
          search={{ realm: realm.name, handled: "1" }}
          className="list-link"
          aria-label={`${problems} problems of ${realm.name}`}
        >
          {problems}
        </Link>
      </td>
      <td data-label="Version">{realm.version || <span className="muted">–</span>}</td>
      <td data-label="Clock skew">
        <ClockSkew realm={realm} />
      </td>
      <td data-label="Detail">{realm.detail}</td>
    </tr>
  );
}

const problemsOf = (summary: StatusSummary | undefined): number =>
  (summary?.counts ?? []).reduce((sum, { status, count }) => (isProblem(statusNameOf(status)) ? sum + count : sum), 0);

/** Time for which rows of the realm have been missing or old. */
function Lag({ sinceMs }: { sinceMs: number | undefined }) {
  const nowMs = useNow();
  return sinceMs === undefined ? null : <span className="realm-lag">for {formatTimeSpan(nowMs - sinceMs)}</span>;
}

function ClockSkew({ realm: { clockSkew } }: { realm: Realm }) {
  if (clockSkew === undefined) return <span className="muted">–</span>;
  const skewMs = durationMs(clockSkew);
  const text = `${formatTimeSpan(Math.abs(skewMs))}${Math.abs(skewMs) < 1_000 ? "" : skewMs > 0 ? " ahead" : " behind"}`;
  if (Math.abs(skewMs) <= skewWarningMs) return text;
  return (
    <Mark icon="clock" title="The times of this realm are off by this amount">
      {text}
    </Mark>
  );
}
