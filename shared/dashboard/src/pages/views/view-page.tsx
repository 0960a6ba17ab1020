import { useParams } from "@tanstack/react-router";
import { useViews } from "../../api/views/use-views.ts";
import { EmptyState } from "../../components/feedback/empty-state.tsx";
import { FailureText } from "../../components/feedback/failure-text.tsx";
import { usePageTitle } from "../../components/page-title/use-page-title.ts";
import type { ListSearch } from "../../features/object-list/list-search.ts";
import { ObjectListView } from "../../features/object-list/object-list-view.tsx";
import { useListSearch } from "../../features/object-list/use-list-search.ts";
import { useObjectRows } from "../../features/object-list/use-object-rows.ts";

const columns = ["state", "object", "output", "marks", "realm", "since", "checked"] as const;

/** Objects of one view, worst first. */
export function ViewPage() {
  const { view: name = "" } = useParams({ strict: false });
  usePageTitle(name);
  const [search, change] = useListSearch("/views/$view");
  const { views, error } = useViews();
  const view = views?.find((one) => one.name === name && [undefined, "", one.realm].includes(search.realm));
  if (error !== null) return <FailureText error={error} what="The view is not available." />;
  if (views === undefined) return <EmptyState title="Loading…" />;
  if (view === undefined) return <EmptyState title={`There is no view ${name}`} />;
  return <ViewList name={name} selector={view.selector} search={search} change={change} />;
}

type ViewListProps = { name: string; selector: string; search: ListSearch; change: (part: ListSearch) => void };

function ViewList({ name, selector, search, change }: ViewListProps) {
  const rows = useObjectRows(search, "view", selector);
  return (
    <ObjectListView
      title={name}
      count={rows.list?.total}
      rows={rows}
      search={search}
      onChange={change}
      columns={columns}
      look="is-objects"
      empty={<EmptyState title="The view has no objects" />}
    />
  );
}
