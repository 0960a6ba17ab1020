import { durationMs } from "@bufbuild/protobuf/wkt";
import type { Realm, StatusSummary } from "@realmwatch/proto/svc/v1/query_pb";
import { isProblem } from "@realmwatch/shared/model/status";
import { realmFreshnessOf } from "@realmwatch/shared/view/realm-freshness";
import { statusNameOf } from "@realmwatch/shared/view/row-status";
import { Link } from "@tanstack/react-router";
import { useNow } from "../../api/context/app-context.tsx";
import { useServerInfo } from "../../api/server/server-info.ts";
import { useOverview } from "../../api/status/overview.ts";
import { isCurrent, lastKnownAtMs } from "../../api/status/realm-freshness.ts";
import { optionalMs } from "../../api/status/status-item.ts";
import { useTotals } from "../../api/status/use-totals.ts";
import { EmptyState } from "../../components/feedback/empty-state.tsx";
import { FreshnessMark } from "../../components/object/freshness-mark.tsx";
import { LabelList } from "../../components/object/label-list.tsx";
import { Mark } from "../../components/object/object-marks.tsx";
import { PairFacts, PairNames } from "../../components/object/pair-facts.tsx";
import { PageHead } from "../../components/page-title/page-head.tsx";
import { PlainTable } from "../../components/table/plain-table.tsx";
import { formatTimeSpan } from "../../components/time/format-time-span.ts";
import { DateTime } from "../../components/time/time-text.tsx";
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
      <PageHead title="Realms" count={realms.length === 0 ? undefined : currentOf(realms)} />
      {info?.aggregator === false && data?.pair !== undefined && <PairFacts pair={data.pair} />}
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

const currentOf = (realms: readonly Realm[]): string =>
  `${realms.filter(isCurrent).length} of ${realms.length} current`;

function RealmTable({ realms }: { realms: readonly Realm[] }) {
  const { byRealm: summaries } = useTotals();
  const summaryOf = ({ name }: Realm): StatusSummary | undefined => summaries.get(name);
  return (
    <PlainTable
      className="card card-table realm-table"
      rows={realms}
      keyOf={({ name }) => name}
      lookOf={(realm) => ({ className: isCurrent(realm) ? "" : "is-stale" })}
      columns={[
        { title: "Realm", isName: true, cell: (realm) => <RealmName realm={realm} /> },
        { title: "Freshness", cell: (realm) => <Freshness realm={realm} /> },
        {
          title: "Last seen",
          cell: ({ reachable, lastSeen }) => (reachable === true ? "now" : <DateTime atMs={optionalMs(lastSeen)} />),
        },
        {
          ...{ title: "Rows held / expected", label: "Rows", className: "number" },
          cell: ({ rowsHeld, rowsExpected }) =>
            `${rowsHeld} / ${rowsExpected === 0 && rowsHeld > 0 ? "–" : rowsExpected}`,
        },
        {
          ...{ title: "Unhandled", className: "number" },
          cell: (realm) => (
            <ProblemLink realm={realm} count={summaryOf(realm)?.unhandled ?? 0} what="unhandled problems" />
          ),
        },
        {
          ...{ title: "Problems", className: "number" },
          cell: (realm) => <ProblemLink realm={realm} count={problemsOf(summaryOf(realm))} what="problems" handled />,
        },
        ...(realms.some(({ pair }) => pair !== undefined)
          ? [{ title: "Pair", cell: ({ pair }: Realm) => <PairNames pair={pair} /> }]
          : []),
        { title: "Version", cell: ({ version }) => version || <span className="muted">–</span> },
        { title: "Clock skew", cell: (realm) => <ClockSkew realm={realm} /> },
        { title: "Detail", cell: ({ detail }) => detail },
      ]}
    />
  );
}

function RealmName({ realm: { name, description, labels } }: { realm: Realm }) {
  return (
    <>
      {name}
      <span className="realm-about">
        {description} <LabelList labels={labels} />
      </span>
    </>
  );
}

function Freshness({ realm }: { realm: Realm }) {
  return (
    <>
      <FreshnessMark freshness={realmFreshnessOf(realm)} />
      <Lag realm={realm} />
      {realm.toggles?.notificationsEnabled === false && (
        <Mark icon="muted" title="Notifications are disabled in this realm">
          notifications off
        </Mark>
      )}
    </>
  );
}

type ProblemLinkProps = { realm: Realm; count: number; what: string; handled?: boolean };

/** A number that links to the realm's problems. `handled`: with the handled ones. */
function ProblemLink({ realm: { name: realm }, count, what, handled }: ProblemLinkProps) {
  const search = handled === true ? { realm, handled: "1" as const } : { realm };
  return (
    <Link to="/" search={search} className="list-link" aria-label={`${count} ${what} of ${realm}`}>
      {count}
    </Link>
  );
}

const problemsOf = (summary: StatusSummary | undefined): number =>
  (summary?.counts ?? []).reduce((sum, { status, count }) => (isProblem(statusNameOf(status)) ? sum + count : sum), 0);

/** Time for which rows of the realm have been missing or old. */
function Lag({ realm }: { realm: Realm }) {
  const nowMs = useNow();
  if (isCurrent(realm)) return <span className="realm-lag">no lag</span>;
  const sinceMs = lastKnownAtMs(realm);
  // A realm that was never seen has no known lag.
  return sinceMs !== undefined && <span className="realm-lag">for {formatTimeSpan(nowMs - sinceMs)}</span>;
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
