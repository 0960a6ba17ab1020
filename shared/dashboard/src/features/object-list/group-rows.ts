import type { StatusItem } from "../../api/status/status-item.ts";
import type { RowGroup, RowSource } from "../../components/table/row-source.ts";

export type Grouping = "host" | "realm" | `label:${string}`;

/** Grouping of a list by its search parameter; undefined for none. */
export const parseGrouping = (text: string | undefined): Grouping | undefined =>
  text === "host" || text === "realm" ? text : isLabelGrouping(text) ? text : undefined;

const isLabelGrouping = (text: string | undefined): text is `label:${string}` => /^label:\S+$/.test(text ?? "");

/** Key of the label that rows are grouped by; undefined for every other grouping. */
export const groupLabelOf = (by: Grouping | undefined): string | undefined =>
  isLabelGrouping(by) ? by.slice("label:".length) : undefined;

/**
 * Groups the loaded rows. The groups are in the order of their first rows, and the rows keep theirs.
 *
 * @param labels values of the label that rows are grouped by, by id of the row
 */
export function groupRows(loaded: readonly StatusItem[], by: Grouping, labels: GroupLabels = new Map()): RowSource {
  const groups = Map.groupBy(loaded, (item) => groupNameOf(item, by, labels));
  const rows = [...groups.values()].flat();
  const starts = new Map<number, RowGroup>();
  let start = 0;
  for (const [title, items] of groups) {
    starts.set(start, { title, rows: items.length });
    start += items.length;
  }
  const indexes = new Map(rows.map(({ id }, index) => [id, index]));
  return {
    count: rows.length,
    at: (index) => rows[index],
    loaded: rows,
    indexOf: (id) => indexes.get(id) ?? -1,
    groupAt: (index) => starts.get(index),
  };
}

/** Values of one label, by id of the row; rows without the label are missing. */
export type GroupLabels = ReadonlyMap<string, string>;

/** Title of the group of a row. Hosts of the same name in two realms are two groups. */
function groupNameOf({ id, key, realm }: StatusItem, by: Grouping, labels: GroupLabels): string {
  if (by === "realm") return realm;
  const label = groupLabelOf(by);
  if (label !== undefined) {
    const value = labels.get(id);
    return value === undefined ? `without ${label}` : `${label}=${value}`;
  }
  const host = key.kind === "service" ? key.host : key.kind === "host" ? key.name : "Processes";
  return realm === "" ? host : `${host} · ${realm}`;
}
