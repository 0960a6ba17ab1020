import type { StatusItem } from "../../api/status/status-item.ts";
import type { RowGroup, RowSource } from "../../components/table/row-source.ts";

export type Grouping = "host" | "realm";

/** Grouping of a list by its search parameter; undefined for none. */
export const parseGrouping = (text: string | undefined): Grouping | undefined =>
  text === "host" || text === "realm" ? text : undefined;

/** Groups the loaded rows. The groups are in the order of their first rows, and the rows keep theirs. */
export function groupRows(loaded: readonly StatusItem[], by: Grouping): RowSource {
  const groups = Map.groupBy(loaded, (item) => groupNameOf(item, by));
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

/** Title of the group of a row. Hosts of the same name in two realms are two groups. */
function groupNameOf({ key, realm }: StatusItem, by: Grouping): string {
  if (by === "realm") return realm;
  const host = key.kind === "service" ? key.host : key.kind === "host" ? key.name : "Processes";
  return realm === "" ? host : `${host} · ${realm}`;
}
