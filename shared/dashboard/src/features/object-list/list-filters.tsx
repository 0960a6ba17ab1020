import { objectKinds } from "@realmwatch/shared/model/object-key";
import { NameSelect } from "../../components/controls/name-select.tsx";
import { RealmSelect } from "../../components/controls/realm-select.tsx";
import type { ListSearch } from "./list-search.ts";

type ListFiltersProps = { search: ListSearch; onChange: (part: ListSearch) => void; forProblems: boolean };

/** Filters of a list beside its search field; all of them are in the address. */
export function ListFilters({ search, onChange, forProblems }: ListFiltersProps) {
  return (
    <>
      <RealmSelect realm={search.realm ?? ""} onChange={(realm) => onChange({ realm })} none="All realms" />
      <NameSelect
        label="Kind"
        none="All kinds"
        value={search.kind ?? ""}
        names={objectKinds}
        onChange={(kind) => onChange({ kind })}
      />
      {forProblems && (
        <>
          <Toggle
            label="Show handled"
            on={search.handled === "1"}
            onChange={(on) => onChange({ handled: on ? "1" : "" })}
          />
          <Toggle label="Hide soft" on={search.soft === "0"} onChange={(on) => onChange({ soft: on ? "0" : "" })} />
        </>
      )}
    </>
  );
}

/** Number of filters that are set, beside the search field. */
export const countFilters = ({ realm, kind, handled, soft, group, cols }: ListSearch): number =>
  [realm, kind, handled, soft, group, cols].filter((value) => value !== undefined && value !== "").length;

function Toggle({ label, on, onChange }: { label: string; on: boolean; onChange: (on: boolean) => void }) {
  return (
    <label className="toggle">
      <input type="checkbox" checked={on} onChange={(event) => onChange(event.target.checked)} />
      {label}
    </label>
  );
}
