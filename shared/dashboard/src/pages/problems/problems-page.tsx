import { lazy, Suspense } from "react";
import { useProblemCount } from "../../api/status/problem-count.ts";
import { useMedia } from "../../components/layout/use-narrow.ts";
import { useWall } from "../../components/layout/use-wall.ts";
import { ObjectListView } from "../../features/object-list/object-list-view.tsx";
import { useListSearch } from "../../features/object-list/use-list-search.ts";
import { useObjectRows } from "../../features/object-list/use-object-rows.ts";
import { TotalsStrip } from "../../features/overview/totals-strip.tsx";
import { NoProblems } from "./no-problems.tsx";

/** Columns of the problems page. The duration is among the first, because it decides the order of work. */
const columns = ["state", "since", "object", "output", "realm", "attempt", "marks"] as const;

// Loaded after the list: it is below it, and only on wide screens.
const LatestChanges = lazy(async () => ({
  default: (await import("../../features/history/latest-changes.tsx")).LatestChanges,
}));

/** Start page: unhandled problems, most severe first. */
export function ProblemsPage() {
  const [search, change] = useListSearch("/");
  const rows = useObjectRows(search, "problems");
  const wide = useMedia("(width >= 1600px)");
  const wall = useWall();
  const past = rows.pastMs !== undefined;
  const roomForMore = wide && !past && !wall;
  return (
    <>
      <ObjectListView
        title="Problems"
        count={past ? rows.list && `${rows.list.summary?.unhandled ?? 0} unhandled at that time` : <CountNow />}
        rows={rows}
        search={search}
        onChange={change}
        columns={columns}
        look="is-problems"
        empty={<NoProblems search={search} pastMs={rows.pastMs} onChange={change} />}
        above={roomForMore && <TotalsStrip />}
      />
      {roomForMore && rows.list !== undefined && (
        <Suspense>
          <LatestChanges />
        </Suspense>
      )}
    </>
  );
}

function CountNow() {
  const { current, stale } = useProblemCount();
  return `${current} unhandled${stale > 0 ? ` + ${stale} last known` : ""}`;
}
