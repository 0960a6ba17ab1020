import type { StatusItem } from "../../api/status/status-item.ts";
import { severityRank } from "../../api/status/status-name.ts";
import { type ListSearch, selectedStatuses } from "./list-search.ts";

/** Filters and sorts items by the list's search. Each word of `q` must occur in a name, the realm or the output. */
export function filterItems(items: Iterable<StatusItem>, search: ListSearch): StatusItem[] {
  const words = (search.q ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const statuses = selectedStatuses(search);
  const filtered = [...items].filter(
    (item) =>
      (search.realm === undefined || item.realm === search.realm) &&
      (search.kind === undefined || item.key.kind === search.kind) &&
      (statuses.length === 0 || statuses.includes(item.statusName)) &&
      (search.soft !== "0" || !item.soft) &&
      words.every((word) => item.searchText.includes(word)),
  );
  return filtered.sort(orderOf(search.sort));
}

type Order = (a: StatusItem, b: StatusItem) => number;

const hostOf = ({ key }: StatusItem): string => (key.kind === "service" ? key.host : key.name);
const collator = new Intl.Collator("en", { numeric: true });
/** By host, the host itself before its services. */
const byName: Order = (a, b) =>
  collator.compare(hostOf(a), hostOf(b)) ||
  Number(a.key.kind === "service") - Number(b.key.kind === "service") ||
  collator.compare(a.key.name, b.key.name) ||
  collator.compare(a.realm, b.realm);
const newestFirst: Order = (a, b) => (b.sinceMs ?? 0) - (a.sinceMs ?? 0);

/** Unhandled before handled, more severe before less severe, newer before older. */
const mostSevereFirst: Order = (a, b) =>
  Number(a.handled) - Number(b.handled) ||
  severityRank(b.statusName) - severityRank(a.statusName) ||
  newestFirst(a, b) ||
  byName(a, b);

const orders: Readonly<Record<string, Order>> = {
  state: mostSevereFirst,
  since: (a, b) => newestFirst(a, b) || byName(a, b),
  object: byName,
  realm: (a, b) => collator.compare(a.realm, b.realm) || mostSevereFirst(a, b),
  checked: (a, b) => (b.lastCheckAtMs ?? 0) - (a.lastCheckAtMs ?? 0) || byName(a, b),
};

function orderOf(sort = "state"): Order {
  const order = orders[sort.replace(/^-/, "")] ?? mostSevereFirst;
  return sort.startsWith("-") ? (a, b) => order(b, a) : order;
}
