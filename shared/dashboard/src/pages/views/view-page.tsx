import { Link, useParams } from "@tanstack/react-router";
import { useViews } from "../../api/views/use-views.ts";
import { useSearchParam } from "../../components/controls/use-search-param.ts";
import { EmptyState } from "../../components/feedback/empty-state.tsx";
import { FailureText } from "../../components/feedback/failure-text.tsx";
import { PageHead } from "../../components/page-title/page-head.tsx";
import { usePageTitle } from "../../components/page-title/use-page-title.ts";
import { ObjectListView } from "../../features/object-list/object-list-view.tsx";
import { useObjectRows } from "../../features/object-list/use-object-rows.ts";

const columns = ["state", "object", "output", "marks", "realm", "since", "checked"] as const;

/** Objects of one view, worst first. */
export function ViewPage() {
  const { view: name = "" } = useParams({ strict: false });
  usePageTitle(name);
  const [realm = ""] = useSearchParam("realm");
  const { views, error } = useViews();
  const view = views?.find((one) => one.name === name && ["", one.realm].includes(realm));
  if (error !== null) return <FailureText error={error} what="The view is not available." />;
  if (views === undefined) return <EmptyState title="Loading…" />;
  if (view === undefined) return <NoView name={name} />;
  return <ViewList name={name} selector={view.selector} />;
}

function NoView({ name }: { name: string }) {
  return (
    <>
      <PageHead title={name} />
      <EmptyState title={`View "${name}" does not exist`}>
        <p>It may have been renamed or removed.</p>
        <p>
          <Link to="/views" className="page-link">
            Go to the views
          </Link>
        </p>
      </EmptyState>
    </>
  );
}

function ViewList({ name, selector }: { name: string; selector: string }) {
  const rows = useObjectRows("view", selector);
  return (
    <ObjectListView
      title={name}
      count={rows.list?.total}
      rows={rows}
      columns={columns}
      empty={<EmptyState title="The view has no objects" />}
    />
  );
}
