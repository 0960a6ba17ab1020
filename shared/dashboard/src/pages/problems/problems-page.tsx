import { counted } from "@realmwatch/shared/view/plural";
import { useDeferredValue } from "react";
import { useProblemCount } from "../../api/status/problem-count.ts";
import { later } from "../../components/layout/later.tsx";
import { useMedia } from "../../components/layout/use-narrow.ts";
import { useWall } from "../../components/layout/use-wall.ts";
import { ObjectListView } from "../../features/object-list/object-list-view.tsx";
import { useObjectRows } from "../../features/object-list/use-object-rows.ts";
import { TotalsStrip } from "../../features/overview/totals-strip.tsx";

/** Columns of the problems page. The duration is among the first, because it decides the order of work. */
const columns = ["state", "since", "object", "output", "marks", "realm", "attempt"] as const;

const NoProblems = later(async () => (await import("./no-problems.tsx")).NoProblems);

// Loaded after the list: it is below it, and only on wide screens.
const LatestChanges = later(async () => (await import("../../features/history/latest-changes.tsx")).LatestChanges);

/** Start page: unhandled problems, most severe first. */
export function ProblemsPage() {
  const rows = useObjectRows("problems");
  // False while the first rows are drawn, so that they do not wait for what is below them.
  const isListed = useDeferredValue(rows.list !== undefined);
  const wide = useMedia("(width >= 1600px)");
  const wall = useWall();
  const past = rows.pastMs !== undefined;
  const roomForMore = wide && !past && !wall;
  return (
    <>
      <ObjectListView
        title="Problems"
        count={
          past ? (
            rows.list && `${rows.list.summary?.unhandled ?? 0} unhandled at that time`
          ) : (
            <CountNow all={rows.search.handled === "1"} />
          )
        }
        rows={rows}
        columns={columns}
        empty={<NoProblems rows={rows} />}
        above={roomForMore && <TotalsStrip />}
      />
      {roomForMore && isListed && <LatestChanges />}
    </>
  );
}

/** Counts the unhandled problems; the list has handled ones too with `all`, so that the word is needed. */
function CountNow({ all }: { all: boolean }) {
  const { current, stale, behind } = useProblemCount();
  const others = [
    stale > 0 ? ` + ${stale} last known` : "",
    behind > 0 ? `, ${counted(behind, "object")} behind them` : "",
  ];
  return `${counted(current, all ? "unhandled problem" : "problem")}${others.join("")}`;
}
