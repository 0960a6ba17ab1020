import { Link } from "@tanstack/react-router";
import { useServerInfo } from "../../api/server/server-info.ts";
import { EmptyState } from "../../components/feedback/empty-state.tsx";
import { FailureText } from "../../components/feedback/failure-text.tsx";
import { PageHead } from "../../components/page-title/page-head.tsx";
import { SavedFilters } from "./saved-filters.tsx";
import { useViews } from "./use-views.ts";
import "../../components/table/plain-table.css";

/** Named selections of objects that the configuration declares. */
export function ViewsPage() {
  const { info } = useServerInfo();
  const { views, error } = useViews();
  const aggregator = info?.aggregator === true;
  return (
    <>
      <PageHead title="Views" count={views?.length} />
      {error !== null && <FailureText error={error} what="Views are not available." />}
      {views?.length === 0 && (
        <EmptyState title="No views are configured">
          <p>A view is a name for a selector, declared in `views` of the configuration.</p>
        </EmptyState>
      )}
      {views !== undefined && views.length > 0 && (
        <table className="plain-table card-table">
          <thead>
            <tr>
              <th scope="col">View</th>
              {aggregator && <th scope="col">Realm</th>}
              <th scope="col">Selector</th>
              <th scope="col">Description</th>
            </tr>
          </thead>
          <tbody>
            {views.map(({ name, realm, selector, description }) => (
              <tr key={`${realm}/${name}`}>
                <th scope="row">
                  <Link to="/views/$view" params={{ view: name }} search={realm === "" ? {} : { realm }}>
                    {name}
                  </Link>
                </th>
                {aggregator && <td data-label="Realm">{realm}</td>}
                <td data-label="Selector">
                  <code>{selector}</code>
                </td>
                <td data-label="Description">{description}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <SavedFilters />
    </>
  );
}
