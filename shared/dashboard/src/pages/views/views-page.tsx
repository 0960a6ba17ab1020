import { Link } from "@tanstack/react-router";
import { useServerInfo } from "../../api/server/server-info.ts";
import { EmptyState } from "../../components/feedback/empty-state.tsx";
import { FailureText } from "../../components/feedback/failure-text.tsx";
import { usePageTitle } from "../../components/page-title/use-page-title.ts";
import { viewTexts } from "../../texts/view-texts.ts";
import { SavedFilters } from "./saved-filters.tsx";
import { useViews } from "./use-views.ts";
import "../../components/table/plain-table.css";

/** Named selections of objects that the configuration declares. */
export function ViewsPage() {
  usePageTitle(viewTexts.views);
  const { info } = useServerInfo();
  const { views, error } = useViews();
  const aggregator = info?.aggregator === true;
  return (
    <>
      <header className="page-head">
        <h1>{viewTexts.views}</h1>
        <p className="page-count">{views?.length}</p>
      </header>
      {error !== null && <FailureText error={error} what={viewTexts.viewsAreNotAvailable} />}
      {views?.length === 0 && (
        <EmptyState title={viewTexts.noViewsAreConfigured}>
          <p>{viewTexts.aViewIsAName}</p>
        </EmptyState>
      )}
      {views !== undefined && views.length > 0 && (
        <table className="plain-table card-table">
          <thead>
            <tr>
              <th scope="col">{viewTexts.view}</th>
              {aggregator && <th scope="col">{viewTexts.realm}</th>}
              <th scope="col">{viewTexts.selector}</th>
              <th scope="col">{viewTexts.description}</th>
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
                {aggregator && <td data-label={viewTexts.realm}>{realm}</td>}
                <td data-label={viewTexts.selector}>
                  <code>{selector}</code>
                </td>
                <td data-label={viewTexts.description}>{description}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <SavedFilters />
    </>
  );
}
