import { Link } from "@tanstack/react-router";
import { useBlockedReason } from "../../api/commands/command-availability.ts";
import { useServerInfo } from "../../api/server/server-info.ts";
import { realmSearch } from "../../api/status/object-key.ts";
import type { TeamView } from "../../api/views/team-views.ts";
import { useViews } from "../../api/views/use-views.ts";
import { ActionButton } from "../../components/controls/action-button.tsx";
import { EmptyState } from "../../components/feedback/empty-state.tsx";
import { FailureText } from "../../components/feedback/failure-text.tsx";
import { PageHead } from "../../components/page-title/page-head.tsx";
import { actionColumn, PlainTable } from "../../components/table/plain-table.tsx";
import { SaveViewForm } from "./save-view-form.tsx";
import { SavedFilters } from "./saved-filters.tsx";
import { useViewCommands } from "./use-view-commands.ts";

/** Named selections of objects: of the configuration, and those that operators saved for all. */
export function ViewsPage() {
  const { joined: views, error } = useViews();
  return (
    <>
      <PageHead title="Views" count={views?.length} />
      {error !== null && <FailureText error={error} what="Views are not available." />}
      {views?.length === 0 && (
        <EmptyState title="There are no views">
          <p>A view is a name for a selector, saved below or declared in `views` of the configuration.</p>
        </EmptyState>
      )}
      {views !== undefined && views.length > 0 && <ViewTable views={views} />}
      <SaveViewForm />
      <SavedFilters />
    </>
  );
}

function ViewTable({ views }: { views: readonly TeamView[] }) {
  const { info } = useServerInfo();
  const { remove, error } = useViewCommands();
  return (
    <>
      <PlainTable
        className="card card-table"
        rows={views}
        keyOf={({ realm, name, selector }) => `${realm}/${name}/${selector}`}
        columns={[
          {
            ...{ title: "View", isName: true },
            cell: ({ name, realm }) => (
              <Link to="/views/$view" params={{ view: name }} search={realmSearch(realm)}>
                {name}
              </Link>
            ),
          },
          info?.aggregator === true && {
            title: "Realms",
            cell: ({ realms }) => realms.join(", ") || "this aggregator",
          },
          { title: "Selector", cell: ({ selector }) => <code>{selector}</code> },
          { title: "Description", cell: ({ description }) => description },
          { title: "From", cell: ({ saved }) => originOf(saved) },
          {
            ...actionColumn,
            className: "number",
            cell: (view) => view.saved.length > 0 && <DeleteButton view={view} onDelete={() => void remove(view)} />,
          },
        ]}
      />
      {error !== undefined && <FailureText error={error} what="The view was not deleted." />}
    </>
  );
}

function originOf(saved: TeamView["saved"]): string {
  const authors = [...new Set(saved.map(({ author }) => author).filter((author) => author !== ""))];
  if (saved.length === 0) return "configuration";
  return authors.length === 0 ? "saved" : `saved by ${authors.join(", ")}`;
}

function DeleteButton({ view: { name, saved }, onDelete }: { view: TeamView; onDelete: () => void }) {
  const blockedReason = useBlockedReason()(saved[0]?.realm ?? "");
  return (
    <ActionButton tone="small" onClick={onDelete} blockedReason={blockedReason}>
      Delete {name}
    </ActionButton>
  );
}
