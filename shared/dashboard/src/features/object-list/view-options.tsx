import { Link, useLocation } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { useAppContext } from "../../api/context/app-context.tsx";
import { addNotice } from "../../api/context/notice.ts";
import { useLabelCatalogue } from "../../api/status/use-label-catalogue.ts";
import { ActionButton } from "../../components/controls/action-button.tsx";
import { ChoiceField, FormField } from "../../components/controls/form-fields.tsx";
import { NameSelect } from "../../components/controls/name-select.tsx";
import { useCopyLink } from "../../components/controls/use-copy-link.ts";
import { groupLabelOf, parseGrouping } from "./group-rows.ts";
import { Toggle } from "./list-filters.tsx";
import { type ListSearch, selectorOfSearch } from "./list-search.ts";
import { type ColumnId, columnIds, columnName, parseColumns } from "./object-columns.tsx";
import type { ObjectRows } from "./use-object-rows.ts";

export type ViewOptionsProps = {
  rows: ObjectRows;
  /** Columns that the page displays unless others are chosen. */
  columns: readonly ColumnId[];
};

const groupings = [
  { value: "", label: "None" },
  { value: "host", label: "Host" },
  { value: "realm", label: "Realm" },
  { value: "cause", label: "Cause" },
] as const;

/** Grouping and columns of a list, its link, and the filters that were saved in this browser. */
export function ViewOptions({ rows, columns }: ViewOptionsProps) {
  const { search, change } = rows;
  const chosen = parseColumns(search.cols) ?? columns;
  const toggle = (id: ColumnId): void => {
    const after = chosen.includes(id) ? chosen.filter((other) => other !== id) : [...chosen, id];
    const inOrder = [...columns, ...columnIds.filter((other) => !columns.includes(other))].filter((other) =>
      after.includes(other),
    );
    change({ cols: inOrder.join() === columns.join() ? "" : inOrder.join(",") });
  };
  return (
    <div className="view-options">
      <ChoiceField
        legend="Group by"
        choices={groupings}
        value={groupings.find(({ value }) => value === (search.group ?? ""))?.value}
        onChange={(group) => change({ group })}
      />
      <LabelGroupField rows={rows} />
      <fieldset className="column-choices">
        <legend>Columns</legend>
        {columnIds.map((id) => (
          <Toggle
            key={id}
            label={columnName(id)}
            on={chosen.includes(id)}
            // A row without its object would have no name and no link.
            disabled={id === "object"}
            onChange={() => toggle(id)}
          />
        ))}
      </fieldset>
      <CopyLink />
      <SaveFilter />
      <SaveForAll search={search} />
    </div>
  );
}

/** Choice of the label that rows are grouped by. */
function LabelGroupField({ rows: { search, change } }: Pick<ViewOptionsProps, "rows">) {
  const labels = useLabelCatalogue(true);
  const chosen = groupLabelOf(parseGrouping(search.group)) ?? "";
  const keys = [...labels.keys()].filter((key) => !key.startsWith("@"));
  if (keys.length === 0 && chosen === "") return null;
  return (
    <FormField label="Group by label">
      {(id) => (
        <NameSelect
          id={id}
          none="No label"
          names={keys}
          value={chosen}
          onChange={(key) => change({ group: key === "" ? "" : `label:${key}` })}
        />
      )}
    </FormField>
  );
}

function CopyLink() {
  const copy = useCopyLink("list");
  return <ActionButton onClick={() => void copy()}>Copy link</ActionButton>;
}

function SaveFilter() {
  const { preferences, notices } = useAppContext();
  const { href } = useLocation();
  const [name, setName] = useState("");
  const save = (event: FormEvent): void => {
    event.preventDefault();
    const trimmed = name.trim();
    if (trimmed === "") return;
    preferences.set((before) => ({
      ...before,
      savedFilters: [...before.savedFilters.filter((one) => one.name !== trimmed), { name: trimmed, href }],
    }));
    setName("");
    addNotice(notices, "done", `Saved: ${trimmed}. It is on the page Views and in the search of Ctrl+K`);
  };
  return (
    <form onSubmit={save} className="save-filter">
      <FormField label="Save these filters in this browser">
        {(id) => (
          <span className="field-row">
            <input
              id={id}
              type="text"
              placeholder="Name"
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
            <button type="submit" className="button">
              Save
            </button>
          </span>
        )}
      </FormField>
    </form>
  );
}

/** Link to the form that saves the list's objects as a view for all users. */
function SaveForAll({ search }: { search: ListSearch }) {
  const selector = selectorOfSearch(search);
  if (selector === "") return null;
  return (
    <Link to="/views" search={{ selector }}>
      Save as a view for all…
    </Link>
  );
}
