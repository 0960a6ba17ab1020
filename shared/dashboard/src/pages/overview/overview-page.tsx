import { useMedia } from "../../components/layout/use-narrow.ts";
import { useWall } from "../../components/layout/use-wall.ts";
import { usePageTitle } from "../../components/page-title/use-page-title.ts";
import { LatestChanges } from "../../features/history/latest-changes.tsx";
import { KindTable } from "../../features/overview/kind-table.tsx";
import { RealmCounts } from "../../features/overview/realm-counts.tsx";
import { TopLabels } from "../../features/overview/top-labels.tsx";
import { TotalsStrip } from "../../features/overview/totals-strip.tsx";

/** Tactical overview: number of objects by kind and status, by realm and by label. Each number links to a list of that length. */
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
        <TopLabels />
        {wide && !wall && <LatestChanges />}
      </div>
    </>
  );
}
