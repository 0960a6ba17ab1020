import type { Realm, StatusSummary } from "@realmwatch/proto/svc/v1/query_pb";
import type { Status } from "@realmwatch/shared/model/status";
import { realmFreshnessOf } from "@realmwatch/shared/view/realm-freshness";
import { useOverview } from "../../api/status/overview.ts";
import { isCurrent } from "../../api/status/realm-freshness.ts";
import { optionalMs } from "../../api/status/status-item.ts";
import { useRealmSummaries } from "../../api/status/use-realm-summaries.ts";
import { useSummary } from "../../api/status/use-summary.ts";
import { FreshnessMark } from "../../components/object/freshness-mark.tsx";
import { StaleMark } from "../../components/object/stale-mark.tsx";
import { TimeAgo } from "../../components/time/time-text.tsx";
import { CountLink } from "./count-link.tsx";
import { countOf, statusColumnsOf } from "./count-matrix.ts";
import { CountTable } from "./count-table.tsx";

/** Number of objects by realm and status; hidden on an agent, which has one realm. */
export function RealmCounts() {
  const { data } = useOverview();
  const summaries = useRealmSummaries();
  const { summary } = useSummary({});
  const realms = data?.realms ?? [];
  if (realms.length === 0) return null;
  const columns = statusColumnsOf(summary);
  return (
    <CountTable title="By realm" of="Realm" columns={columns}>
      {realms.map((realm) => (
        <RealmRow key={realm.name} realm={realm} summary={summaries.get(realm.name)} columns={columns} />
      ))}
    </CountTable>
  );
}

type RealmRowProps = { realm: Realm; summary: StatusSummary | undefined; columns: readonly Status[] };

function RealmRow({ realm, summary, columns }: RealmRowProps) {
  const { name } = realm;
  const stale = !isCurrent(realm);
  const mark = (count: number) => ({ count, lastKnown: stale ? count : 0 });
  return (
    <tr className={stale ? "is-stale" : ""}>
      <th scope="row">
        <span className="realm-name">{name}</span> <FreshnessMark freshness={realmFreshnessOf(realm)} />
        <StaleMark realm={name} />
        {!stale && realm.lastSeen && (
          <span className="realm-seen">
            seen <TimeAgo atMs={optionalMs(realm.lastSeen)} suffix=" ago" />
          </span>
        )}
      </th>
      <td data-label="unhandled" className="number">
        <CountLink
          of={mark(summary?.unhandled ?? 0)}
          to="/"
          search={{ realm: name }}
          label={`unhandled problems of ${name}`}
        />
      </td>
      {columns.map((status) => (
        <td key={status} data-label={status} className="number">
          <CountLink
            of={mark(countOf(summary, status).count)}
            to="/objects"
            search={{ realm: name, status }}
            status={status}
            label={`${status} objects of ${name}`}
          />
        </td>
      ))}
    </tr>
  );
}
