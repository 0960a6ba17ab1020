import { Link } from "@tanstack/react-router";
import { useAppContext, usePreference } from "../../api/context/app-context.tsx";
import { ActionButton } from "../../components/controls/action-button.tsx";
import { actionColumn, PlainTable } from "../../components/table/plain-table.tsx";
import "./views.css";

/** Filters that were saved in this browser; hidden while there are none. */
export function SavedFilters() {
  const { preferences } = useAppContext();
  const saved = usePreference("savedFilters");
  if (saved.length === 0) return null;
  const remove = (name: string): void =>
    preferences.set((before) => ({
      ...before,
      savedFilters: before.savedFilters.filter((one) => one.name !== name),
    }));
  return (
    <section className="panel-table saved-filters">
      <h2>Saved in this browser</h2>
      <PlainTable
        className="card card-table"
        rows={saved}
        keyOf={({ name }) => name}
        columns={[
          { title: "Name", isName: true, cell: ({ name, href }) => <Link to={href}>{name}</Link> },
          { title: "Address", cell: ({ href }) => <code>{href}</code> },
          {
            ...actionColumn,
            className: "number",
            cell: ({ name }) => (
              <ActionButton tone="small" onClick={() => remove(name)}>
                Remove {name}
              </ActionButton>
            ),
          },
        ]}
      />
    </section>
  );
}
