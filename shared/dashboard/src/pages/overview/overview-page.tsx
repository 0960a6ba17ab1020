import { HistoryType } from "@realmwatch/proto/svc/v1/query_pb";
import { useMedia } from "../../components/layout/use-narrow.ts";
import { useWall } from "../../components/layout/use-wall.ts";
import { usePageTitle } from "../../components/page-title/use-page-title.ts";
import { HistoryList } from "../../features/history/history-list.tsx";
import { KindTable } from "../../features/overview/kind-table.tsx";
import { RealmCounts } from "../../features/overview/realm-counts.tsx";
import { TotalsStrip } from "../../features/overview/totals-strip.tsx";

/** Tactical overview: number of objects by kind and status, and by realm. Each number links to a list of that length. */
export function OverviewPage() {
  usePageTitle("Overview");
  const wide = useMedia("(width >= 1600px)");
  const wall = useWall();
  return (
    <>
      <header className="page-head">
        <h1>Overview</h1>
      </header>
      <div className="overview">
        <TotalsStrip />
        <KindTable />
        <RealmCounts />
        {wide && !wall && (
          <section className="panel-table latest-changes">
            <h2>Latest state changes</h2>
            <HistoryList request={{ types: [HistoryType.STATE] }} withObject />
          </section>
        )}
      </div>
    </>
  );
}
