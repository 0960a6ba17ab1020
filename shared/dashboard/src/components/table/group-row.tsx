import { useIsStale } from "../../api/status/stale-rows.ts";
import { StatusIcon } from "../status/status-icon.tsx";
import type { RowGroup } from "./row-source.ts";
import { type Selection, SelectRowsBox } from "./selection.tsx";

type GroupRowProps = {
  group: RowGroup;
  /** Number of columns beside that of the boxes. */
  columns: number;
  /** Selected rows; undefined when rows cannot be selected. */
  selection: Selection | undefined;
  /** Selects all rows of a group, also those that are not loaded, beside what is selected. */
  onSelect: (group: RowGroup) => void;
  onFold: (title: string) => void;
  /** Index and measure of a folded group, which has the place of a row. */
  index?: number;
  measure?: (element: HTMLElement | null) => void;
};

/** Heading of a group with its worst status and its number of rows, by which the group is folded and selected. */
export function GroupRow({ group, columns, selection, onSelect, onFold, index, measure }: GroupRowProps) {
  const { title, items, worst, folded } = group;
  const isStale = useIsStale();
  // Green says that all rows are well now; another status that it is the status of one of them now.
  const lastKnown =
    worst === "ok" ? items.some(isStale) : items.filter(({ statusName }) => statusName === worst).every(isStale);
  return (
    <tr
      className={lastKnown ? "group-row is-last-known" : "group-row"}
      ref={measure}
      data-index={index}
      data-status={worst}
    >
      {selection !== undefined && (
        <td className="col-select">
          <GroupBox group={group} selection={selection} onSelect={onSelect} />
        </td>
      )}
      <th scope="rowgroup" colSpan={columns}>
        <button type="button" className="fold" aria-expanded={!folded} onClick={() => onFold(title)}>
          <span aria-hidden="true">{folded ? "▸" : "▾"}</span> <StatusIcon status={worst} hollow={lastKnown} /> {title}{" "}
          <span className="muted">
            {items.length}
            <span className="visually-hidden">
              {" "}
              rows, worst {worst}
              {lastKnown && ", last known"}
            </span>
          </span>
        </button>
      </th>
    </tr>
  );
}

type GroupBoxProps = { group: RowGroup; selection: Selection; onSelect: (group: RowGroup) => void };

function GroupBox({ group, selection, onSelect }: GroupBoxProps) {
  const { title, items, has } = group;
  const count = items.length;
  const selected = items.filter(({ id }) => selection.has(id)).length;
  const toggle = (): void => {
    if (selected < count) return onSelect(group);
    const own = new Set(items.map(({ id }) => id));
    selection.set([...selection.items.values()].filter((item) => !own.has(item.id) && !has(item)));
  };
  return <SelectRowsBox {...{ count, selected }} label={`Select the ${count} rows of ${title}`} onToggle={toggle} />;
}
