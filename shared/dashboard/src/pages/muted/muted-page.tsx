import { EmptyState } from "../../components/feedback/empty-state.tsx";
import { usePageTitle } from "../../components/page-title/use-page-title.ts";
import { ObjectListView } from "../../features/object-list/object-list-view.tsx";
import { useListSearch } from "../../features/object-list/use-list-search.ts";
import { useObjectRows } from "../../features/object-list/use-object-rows.ts";
import { listPageTexts } from "../../texts/list-page-texts.ts";

const columns = ["state", "object", "mutedBy", "mutedSince", "output", "realm"] as const;

/** Objects that are acknowledged, in downtime, or have a switch turned off, so that forgotten ones are found. */
export function MutedPage() {
  usePageTitle(listPageTexts.muted);
  const [search, change] = useListSearch("/muted");
  const rows = useObjectRows(search, "muted");
  return (
    <ObjectListView
      title={listPageTexts.muted}
      count={rows.list && `${rows.list.total} muted`}
      rows={rows}
      search={search}
      onChange={change}
      columns={columns}
      look="is-objects"
      empty={
        <EmptyState title={listPageTexts.nothingIsMuted}>
          <p>{listPageTexts.acknowledgedProblemsObjectsInDowntime}</p>
        </EmptyState>
      }
    />
  );
}
