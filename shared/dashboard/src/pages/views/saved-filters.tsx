import { Link } from "@tanstack/react-router";
import { useAppContext, usePreference } from "../../api/context/app-context.tsx";
import { ActionButton } from "../../components/controls/action-button.tsx";
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
      <table className="plain-table card-table">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Address</th>
            <th scope="col">
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {saved.map(({ name, href }) => (
            <tr key={name}>
              <th scope="row">
                <Link to={href}>{name}</Link>
              </th>
              <td data-label="Address">
                <code>{href}</code>
              </td>
              <td className="number">
                <ActionButton tone="small" onClick={() => remove(name)}>
                  Remove {name}
                </ActionButton>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
