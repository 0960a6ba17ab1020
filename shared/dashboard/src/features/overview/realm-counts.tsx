import type { Realm } from "@realmwatch/proto/svc/v1/query_pb";
import { realmFreshnessOf } from "@realmwatch/shared/view/realm-freshness";
import { useOverview } from "../../api/status/overview.ts";
import { isCurrent } from "../../api/status/realm-freshness.ts";
import { optionalMs } from "../../api/status/status-item.ts";
import { useSummary } from "../../api/status/use-summary.ts";
import { useTotals } from "../../api/status/use-totals.ts";
import { FreshnessMark } from "../../components/object/freshness-mark.tsx";
import { StaleMark } from "../../components/object/stale-mark.tsx";
import { TimeAgo } from "../../components/time/time-text.tsx";
import { CountLink } from "./count-link.tsx";
import { countOf, statusColumnsOf } from "./count-matrix.ts";
import { CountTable } from "./count-table.tsx";

/** Number of objects by realm and status; hidden on an agent, which has one realm. */
export function RealmCounts() {
  const { data } = useOverview();
  const { byRealm: summaries } = useTotals();
  const { summary } = useSummary({});
  const realms = data?.realms ?? [];
  if (realms.length === 0) return null;
  const mark = (realm: Realm, count: number) => ({ count, lastKnown: isCurrent(realm) ? 0 : count });
  return (
    <CountTable
      title="By realm"
      rows={realms}
      keyOf={({ name }) => name}
      lookOf={(realm) => ({ className: isCurrent(realm) ? "" : "is-stale" })}
      name={{ title: "Realm", cell: (realm) => <RealmName realm={realm} /> }}
      unhandled={(realm) => (
        <CountLink
          of={mark(realm, summaries.get(realm.name)?.unhandled ?? 0)}
          to="/"
          search={{ realm: realm.name }}
          label={`unhandled problems of ${realm.name}`}
        />
      )}
      statuses={statusColumnsOf(summary)}
      countOf={(realm, status) => (
        <CountLink
          of={mark(realm, countOf(summaries.get(realm.name), status).count)}
          to="/objects"
          search={{ realm: realm.name, status }}
          status={status}
          label={`${status} objects of ${realm.name}`}
        />
      )}
    />
  );
}

function RealmName({ realm }: { realm: Realm }) {
  const { name, lastSeen } = realm;
  return (
    <>
      <span className="realm-name">{name}</span> <FreshnessMark freshness={realmFreshnessOf(realm)} />
      <StaleMark realm={name} />
      {isCurrent(realm) && lastSeen && (
        <span className="realm-seen">
          seen <TimeAgo atMs={optionalMs(lastSeen)} suffix=" ago" />
        </span>
      )}
    </>
  );
}
