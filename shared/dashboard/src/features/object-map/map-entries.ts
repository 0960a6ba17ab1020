import { isProblem, type Status, severityOf, statuses } from "@realmwatch/shared/model/status";
import { counted, plural } from "@realmwatch/shared/view/plural";
import { formatObjectName } from "../../api/status/object-key.ts";
import type { StatusItem } from "../../api/status/status-item.ts";

/** Largest number of objects on one side of a map; the rest is counted. */
export const maxObjects = 12;

/** Place of an entry in the map: an object, or the number of those that have no room. */
export type MapEntry = {
  readonly id: string;
  readonly text: string;
  readonly status: Status;
  /** Relation to the object of the page, such as `parent`; empty for a number of objects. */
  readonly note: string;
  readonly isCause: boolean;
  /** The object; undefined for a number of objects. */
  readonly item: StatusItem | undefined;
  /** List of the counted objects; undefined for an object, and where no list has just them. */
  readonly list: MapList | undefined;
};

/** List of objects: `/` is that of the problems. */
type MapList = { readonly to: "/" | "/objects"; readonly search: Search };

export const objectEntry = (item: StatusItem, note: string, isCause = false): MapEntry => ({
  ...{ id: item.id, text: formatObjectName(item.key), status: item.statusName },
  ...{ note: isCause ? "top cause" : note, isCause, item, list: undefined },
});

type GroupOptions = {
  /** Number of all the objects by status. */
  readonly counts: ReadonlyMap<Status, number>;
  /** Name of the entries, in the singular. */
  readonly noun: string;
  /** Search parameters of the list that has all of them; undefined if no list shows exactly these. */
  readonly search: Search | undefined;
};

type Search = Readonly<Record<string, string>>;

/**
 * Entries for many objects: all of them where there is room, else the worst problems, the number of the other problems,
 * and the number of those without a problem by status.
 *
 * @param worst the worst of the objects, the worst first
 */
export function boundedEntries(
  worst: readonly StatusItem[],
  { counts, noun, search }: GroupOptions,
): readonly MapEntry[] {
  const byStatus = new Map(counts);
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (total <= maxObjects) return worst.map((item) => objectEntry(item, noun));
  const shown = worst.filter(({ problem }) => problem).slice(0, maxObjects);
  for (const { statusName } of shown) byStatus.set(statusName, (byStatus.get(statusName) ?? 0) - 1);
  const rest = statuses
    .map((status) => ({ status, count: byStatus.get(status) ?? 0 }))
    .filter(({ count }) => count > 0);
  const problems = rest.filter(({ status }) => isProblem(status));
  const others = rest.filter(({ status }) => !isProblem(status));
  return [...shown.map((item) => objectEntry(item, noun)), ...moreProblems(problems, search), ...others.map(groupOf)];

  function groupOf({ status, count }: { status: Status; count: number }): MapEntry {
    const word = status === "ok" ? "OK" : status;
    const list = search && ({ to: "/objects", search: { ...search, status } } as const);
    return groupEntry(`${count} ${word} ${plural(count, noun)}`, status, list);
  }
}

/** Number of the problems that have no room, which leads to all of them. */
function moreProblems(
  problems: readonly { readonly status: Status; readonly count: number }[],
  search: Search | undefined,
): readonly MapEntry[] {
  const [worst] = problems.toSorted((a, b) => severityOf[b.status] - severityOf[a.status]);
  if (worst === undefined) return [];
  const count = problems.reduce((sum, each) => sum + each.count, 0);
  const list = search && ({ to: "/", search: { ...search, handled: "1" } } as const);
  return [groupEntry(counted(count, "more problem"), worst.status, list)];
}

export const groupEntry = (text: string, status: Status, list: MapList | undefined): MapEntry => ({
  ...{ id: text, text, status, note: "" },
  ...{ isCause: false, item: undefined, list },
});

/** Status and relation of an entry in words; empty for a number of current objects. */
export const entryNote = ({ item, note }: Pick<MapEntry, "item" | "note">, lastKnown: boolean): string =>
  [item?.statusName, lastKnown && "last known", note].filter(Boolean).join(", ");
