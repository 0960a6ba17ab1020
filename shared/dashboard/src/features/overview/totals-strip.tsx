import type { Status } from "@realmwatch/shared/model/status";
import { realmFreshnessOf } from "@realmwatch/shared/view/realm-freshness";
import { Link } from "@tanstack/react-router";
import { useOverview } from "../../api/status/overview.ts";
import { type Totals, useTotals } from "../../api/status/use-totals.ts";
import { FreshnessMark } from "../../components/object/freshness-mark.tsx";
import { StatusIcon } from "../../components/status/status-icon.tsx";
import { formatNumber } from "../../components/time/format-number.ts";
import { type Count, countOf, countOfAll, statusColumnsOf } from "./count-matrix.ts";
import "./overview.css";

/** Largest number of realms in the strip; the others are on the page of the realms. */
const shownRealms = 12;

/**
 * Totals by status, and the realms with their unhandled problems. Each number links to a list of that length. The strip
 * has its height before the first response, so that the totals do not push what is below them.
 */
export function TotalsStrip() {
  const { summary, byRealm } = useTotals();
  const { data } = useOverview();
  return (
    <section className="card wrapped totals-strip" aria-label="Totals">
      <div className="totals-tiles">
        <Tile of={data && countOfAll(data.unhandled)} to="/" search={{}} label="unhandled" />
        {summary !== undefined &&
          statusColumnsOf(summary).map((status) => (
            <Tile
              key={status}
              of={countOf(summary, status)}
              to="/objects"
              search={{ status }}
              status={status}
              label={status}
            />
          ))}
      </div>
      {summary !== undefined && <RealmTiles summaries={byRealm} />}
    </section>
  );
}

type TileProps = {
  /** Undefined while it is loading. */
  of: Count | undefined;
  to: "/" | "/objects";
  search: { status?: string };
  status?: Status;
  label: string;
};

function Tile({ of, to, search, status, label }: TileProps) {
  const { count, lastKnown } = of ?? { count: 0, lastKnown: 0 };
  const quiet = count === 0 || count === lastKnown;
  return (
    <Link to={to} search={search} className={`totals-tile ${quiet ? "is-quiet" : ""}`} data-status={status}>
      <strong>{of === undefined ? "–" : formatNumber(count - lastKnown)}</strong>{" "}
      <span className="totals-label">
        {status !== undefined && <StatusIcon status={status} hollow={quiet} />} {label}
        {lastKnown > 0 && <span className="muted"> + {formatNumber(lastKnown)} last known</span>}
      </span>
    </Link>
  );
}

function RealmTiles({ summaries }: { summaries: Totals["byRealm"] }) {
  const { data } = useOverview();
  const realms = data?.realms ?? [];
  if (realms.length === 0) return null;
  const unhandledOf = (name: string): number => summaries.get(name)?.unhandled ?? 0;
  const worstFirst = realms.toSorted((a, b) => unhandledOf(b.name) - unhandledOf(a.name));
  return (
    <ul className="wrapped totals-realms" aria-label="Realms">
      {worstFirst.slice(0, shownRealms).map((realm) => (
        <li key={realm.name}>
          <Link to="/" search={{ realm: realm.name }} className="totals-realm">
            <span className="realm-name">{realm.name}</span> <FreshnessMark freshness={realmFreshnessOf(realm)} />{" "}
            <span className="muted">{formatNumber(unhandledOf(realm.name))} unhandled</span>
          </Link>
        </li>
      ))}
      {realms.length > shownRealms && (
        <li>
          <Link to="/realms" className="totals-realm">
            {realms.length - shownRealms} more
          </Link>
        </li>
      )}
    </ul>
  );
}
