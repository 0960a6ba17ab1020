import { objectKinds } from "@realmwatch/shared/model/object-key";
import { NameSelect } from "../../components/controls/name-select.tsx";
import { RealmSelect } from "../../components/controls/realm-select.tsx";
import type { ObjectRows } from "./use-object-rows.ts";

/** Filters of a list beside its search field; all of them are in the address. */
export function ListFilters({ rows: { search, change, scope } }: { rows: ObjectRows }) {
  return (
    <>
      <RealmSelect realm={search.realm ?? ""} onChange={(realm) => change({ realm })} none="All realms" />
      <NameSelect
        label="Kind"
        none="All kinds"
        value={search.kind ?? ""}
        names={objectKinds}
        onChange={(kind) => change({ kind })}
      />
      {scope === "problems" && (
        <>
          <Toggle
            label="Show handled"
            on={search.handled === "1"}
            onChange={(on) => change({ handled: on ? "1" : "" })}
          />
          <Toggle label="Hide soft" on={search.soft === "0"} onChange={(on) => change({ soft: on ? "0" : "" })} />
        </>
      )}
    </>
  );
}

type ToggleProps = { label: string; on: boolean; disabled?: boolean; onChange: (on: boolean) => void };

export function Toggle({ label, on, disabled, onChange }: ToggleProps) {
  return (
    <label className="toggle">
      <input type="checkbox" checked={on} disabled={disabled} onChange={(event) => onChange(event.target.checked)} />
      {label}
    </label>
  );
}
