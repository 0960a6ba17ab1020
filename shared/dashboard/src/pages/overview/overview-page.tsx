import { useMedia } from "../../components/layout/use-narrow.ts";
import { useWall } from "../../components/layout/use-wall.ts";
import { PageHead } from "../../components/page-title/page-head.tsx";
import { LatestChanges } from "../../features/history/latest-changes.tsx";
import { KindTable } from "../../features/overview/kind-table.tsx";
import { RealmCounts } from "../../features/overview/realm-counts.tsx";
import { TopLabels } from "../../features/overview/top-labels.tsx";
import { TotalsStrip } from "../../features/overview/totals-strip.tsx";

/** Tactical overview: number of objects by kind and status, by realm and by label. Each number links to a list of that length. */
export function OverviewPage() {
  const wide = useMedia("(width >= 1600px)");
  const wall = useWall();
  return (
    <>
      <PageHead title="Overview" />
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
