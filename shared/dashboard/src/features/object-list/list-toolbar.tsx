import type { Realm } from "@realmwatch/proto/svc/v1/query_pb";
import { useId } from "react";
import type { ListSearch } from "./list-search.ts";
import { PastButton } from "./past-bar.tsx";

type ListToolbarProps = {
  search: ListSearch;
  onChange: (part: ListSearch) => void;
  /** Realms to choose from; empty on an agent. */
  realms: readonly Realm[];
  forProblems?: boolean;
};

/** Filters of a list; all of them are in the address. */
export function ListToolbar({ search, onChange, realms, forProblems = false }: ListToolbarProps) {
  const id = useId();
  return (
    <search className="toolbar">
      <label htmlFor={`${id}-q`} className="visually-hidden">
        Search names, realms and output
      </label>
      <input
        id={`${id}-q`}
        type="search"
        placeholder="Search names and output"
        value={search.q ?? ""}
        onChange={(event) => onChange({ q: event.target.value })}
        onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
      />
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
      <PastButton search={search} onChange={onChange} />
    </search>
  );
}

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
