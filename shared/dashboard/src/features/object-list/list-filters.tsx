import { useOverview } from "../../api/status/overview.ts";
import type { ListSearch } from "./list-search.ts";

type ListFiltersProps = { search: ListSearch; onChange: (part: ListSearch) => void; forProblems: boolean };

/** Filters of a list beside its search field; all of them are in the address. */
export function ListFilters({ search, onChange, forProblems }: ListFiltersProps) {
  const realms = useOverview().data?.realms ?? [];
  return (
    <>
      {realms.length > 0 && (
        <FilterSelect
          label="Realm"
          all="All realms"
          value={search.realm}
          options={realms.map(({ name }) => name)}
          onChange={(realm) => onChange({ realm })}
        />
      )}
      <FilterSelect
        label="Kind"
        all="All kinds"
        value={search.kind}
        options={["host", "service", "process"]}
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

type FilterSelectProps = {
  label: string;
  all: string;
  value: string | undefined;
  options: readonly string[];
  onChange: (value: string) => void;
};

function FilterSelect({ label, all, value = "", options, onChange }: FilterSelectProps) {
  return (
    <select aria-label={label} value={value} onChange={(event) => onChange(event.target.value)}>
      <option value="">{all}</option>
      {options.map((option) => (
        <option key={option}>{option}</option>
      ))}
    </select>
  );
}

function Toggle({ label, on, onChange }: { label: string; on: boolean; onChange: (on: boolean) => void }) {
  return (
    <label className="toggle">
      <input type="checkbox" checked={on} onChange={(event) => onChange(event.target.checked)} />
      {label}
    </label>
  );
}
