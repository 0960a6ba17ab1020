import { type ReactNode, useMemo } from "react";
import { PastView } from "../../api/context/past-view.ts";
import { useServerInfo } from "../../api/server/server-info.ts";
import { ActionButton } from "../../components/controls/action-button.tsx";
import { EmptyState } from "../../components/feedback/empty-state.tsx";
import { FailureText } from "../../components/feedback/failure-text.tsx";
import { useMedia } from "../../components/layout/use-narrow.ts";
import { useWall } from "../../components/layout/use-wall.ts";
import { PageHead } from "../../components/page-title/page-head.tsx";
import { ListToolbar } from "./list-toolbar.tsx";
import { type ColumnId, columnsOf, parseColumns } from "./object-columns.tsx";
import { ObjectList } from "./object-list.tsx";
import { PastBar } from "./past-bar.tsx";
import { SeverityChips } from "./severity-chips.tsx";
import type { ObjectRows } from "./use-object-rows.ts";
import type { ViewOptionsProps } from "./view-options.tsx";
import "./list.css";

/** Columns that a wall, or a screen without much room, has only when they are chosen. */
const wallColumns: readonly ColumnId[] = ["attempt", "checked", "marks"];
const narrowColumns: readonly ColumnId[] = ["attempt"];
/** Columns that a phone's cards have only when they are chosen. */
const cardColumns: readonly ColumnId[] = ["attempt", "checked"];

type ObjectListViewProps = ViewOptionsProps & {
  title: string;
  /** Text beside the title: number of rows, or of problems. */
  count: ReactNode;
  /** Content in place of an empty list. */
  empty: ReactNode;
  /** Content between the title and the filters. */
  above?: ReactNode;
};

/** A page with one list of objects: title, counts, filters and rows, of the present or of the past. */
export function ObjectListView({ title, count, rows, columns, empty, above }: ObjectListViewProps) {
  const { list, search } = rows;
  const { info } = useServerInfo();
  const aggregator = info?.aggregator === true;
  const wall = useWall();
  const roomy = useMedia("(width >= 1150px)");
  const cards = useMedia("(max-width: 760px)");
  const shownColumns = useMemo(() => {
    const left = wall ? wallColumns : cards ? cardColumns : roomy ? [] : narrowColumns;
    return columnsOf(parseColumns(search.cols) ?? columns.filter((id) => !left.includes(id)), aggregator);
  }, [search.cols, columns, aggregator, wall, cards, roomy]);
  return (
    <PastView value={rows.pastMs}>
      <PageHead title={title} count={count ?? ""}>
        <SeverityChips rows={rows} />
      </PageHead>
      {above}
      <PastBar rows={rows} />
      <ListToolbar rows={rows} columns={columns} />
      {list === undefined && <ListPlaceholder rows={rows} />}
      {list !== undefined && list.length === 0 && empty}
      {list !== undefined && list.length > 0 && (
        <ObjectList caption={title} rows={rows} list={list} columns={shownColumns} />
      )}
    </PastView>
  );
}

/** Placeholder of a list while rows are loading, or after they failed to load. */
function ListPlaceholder({ rows: { error, pastMs, refresh } }: { rows: ObjectRows }) {
  if (error === null) return <EmptyState title={pastMs === undefined ? "Loading…" : "Loading the past state…"} />;
  if (pastMs === undefined)
    return (
      <EmptyState title="Not connected" tone="bad">
        <FailureText error={error} what="The server did not answer." />
      </EmptyState>
    );
  return (
    <EmptyState title="The past state is not available" tone="bad">
      <FailureText error={error} what="The request failed." />
      <ActionButton onClick={() => void refresh()}>Try again</ActionButton>
    </EmptyState>
  );
}
