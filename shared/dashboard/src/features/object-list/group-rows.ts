import { formatObjectName, keyOfWireRef, quoteSelectorValue } from "../../api/status/object-key.ts";
import { worstOf } from "../../api/status/status-counts.ts";
import type { StatusItem } from "../../api/status/status-item.ts";
import type { RowGroup, RowSource } from "../../components/table/row-source.ts";

export type Grouping = (typeof plainGroupings)[number] | `label:${string}`;
const plainGroupings = ["host", "realm", "cause"] as const;

/** Grouping of a list by its search parameter; undefined for none. */
export const parseGrouping = (text: string | undefined): Grouping | undefined =>
  plainGroupings.find((plain) => plain === text) ?? (isLabelGrouping(text) ? text : undefined);

const isLabelGrouping = (text: string | undefined): text is `label:${string}` => /^label:\S+$/.test(text ?? "");

/** Key of the label that rows are grouped by; undefined for every other grouping. */
export const groupLabelOf = (by: Grouping | undefined): string | undefined =>
  isLabelGrouping(by) ? by.slice("label:".length) : undefined;

type GroupOptions = {
  /** Values of the label that rows are grouped by, by id of the row. */
  readonly labels?: GroupLabels;
  /** Titles of the groups that are folded. */
  readonly folded?: ReadonlySet<string>;
};

/** Groups the loaded rows. The groups are in the order of their first rows, and the rows keep theirs. */
export function groupRows(
  loaded: readonly StatusItem[],
  by: Grouping,
  { labels = new Map(), folded = new Set() }: GroupOptions = {},
): RowSource {
  const rows: (StatusItem | undefined)[] = [];
  const starts = new Map<number, RowGroup>();
  for (const [title, items] of Map.groupBy(loaded, (item) => groupNameOf(item, by, labels))) {
    const has = (item: StatusItem): boolean => groupNameOf(item, by, labels) === title;
    const worst = worstOf(
      items.map(({ statusName }) => statusName),
      "ok",
    );
    const selector = selectorOf(items[0], by, labels);
    starts.set(rows.length, { title, items, worst, folded: folded.has(title), selector, has });
    if (folded.has(title)) rows.push(undefined);
    else rows.push(...items);
  }
  const shown = rows.filter((row) => row !== undefined);
  const indexes = new Map(rows.flatMap((row, index) => (row === undefined ? [] : [[row.id, index] as const])));
  return {
    count: rows.length,
    at: (index) => rows[index],
    loaded: shown,
    indexOf: (id) => indexes.get(id) ?? -1,
    groupAt: (index) => starts.get(index),
  };
}

/** Selector of the rows that are grouped with a row, as far as one can tell them. */
function selectorOf(item: StatusItem | undefined, by: Grouping, labels: GroupLabels): string {
  if (item === undefined) return "";
  const label = groupLabelOf(by);
  // The rows of a host or a cause are of its realm.
  if (label === undefined) return item.realm === "" ? "" : `@realm=${quoteSelectorValue(item.realm)}`;
  const value = labels.get(item.id);
  return value === undefined ? `!${label}` : `${label}=${quoteSelectorValue(value)}`;
}

/** Values of one label, by id of the row; rows without the label are missing. */
export type GroupLabels = ReadonlyMap<string, string>;

/** Title of the group of a row. Hosts of the same name in two realms are two groups. */
function groupNameOf({ id, key, realm, row }: StatusItem, by: Grouping, labels: GroupLabels): string {
  if (by === "realm") return realm;
  const inRealm = (name: string): string => (realm === "" ? name : `${name} · ${realm}`);
  if (by === "cause") {
    const cause = keyOfWireRef(row.cause) ?? (row.impact === undefined ? undefined : key);
    return cause === undefined ? "Without a common cause" : inRealm(formatObjectName(cause));
  }
  const label = groupLabelOf(by);
  if (label !== undefined) {
    const value = labels.get(id);
    return value === undefined ? `without ${label}` : `${label}=${value}`;
  }
  const host = key.kind === "service" ? key.host : key.kind === "host" ? key.name : "Processes";
  return inRealm(host);
}
