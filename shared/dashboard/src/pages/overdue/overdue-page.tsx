import { useAllCurrent } from "../../api/status/stale-rows.ts";
import { EmptyState } from "../../components/feedback/empty-state.tsx";
import { usePageTitle } from "../../components/page-title/use-page-title.ts";
import { ObjectListView } from "../../features/object-list/object-list-view.tsx";
import { useListSearch } from "../../features/object-list/use-list-search.ts";
import { useObjectRows } from "../../features/object-list/use-object-rows.ts";
import { listPageTexts } from "../../texts/list-page-texts.ts";

const columns = ["state", "object", "late", "checked", "output", "realm", "marks"] as const;

/** Objects whose check, or expected passive result, is late. */
export function OverduePage() {
  usePageTitle(listPageTexts.overdue);
  const [search, change] = useListSearch("/overdue");
  const rows = useObjectRows(search, "overdue");
  return (
    <ObjectListView
      title={listPageTexts.overdue}
      count={rows.list && `${rows.list.total} late`}
      rows={rows}
      search={search}
      onChange={change}
      columns={columns}
      look="is-objects"
      empty={<NothingOverdue />}
    />
  );
}

function NothingOverdue() {
  const allCurrent = useAllCurrent();
  return (
    <EmptyState title={allCurrent ? listPageTexts.noResultIsOverdue : listPageTexts.noResultIsKnownTo} tone="plain">
      <p>{listPageTexts.aResultIsOverdueWhen}</p>
      {!allCurrent && <p>{listPageTexts.notEveryRealmIsCurrent}</p>}
    </EmptyState>
  );
}
