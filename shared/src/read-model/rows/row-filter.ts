import { type ObjectKey, refOf } from "../../model/object-key.ts";
import { isProblem } from "../../model/status.ts";
import type { Row } from "../../row/row.ts";
import { matchesSelector, type SelectorSubject } from "../../text/selector/selector.ts";
import type { RowFilter } from "../read-model.ts";

/** Filter that every row passes. */
export const anyRow: RowFilter = {
  key: undefined,
  selector: undefined,
  realm: "",
  kinds: [],
  statuses: [],
  problemsOnly: false,
  unhandledOnly: false,
  hardOnly: false,
  overdueAtMs: undefined,
  mutedOnly: false,
  withDowntimes: false,
  search: "",
  searchOutput: false,
};

/** Naming of realms. `ownRealm` is the realm of rows whose realm is empty: the agent's own; empty on an aggregator. */
export type RealmNaming = { readonly ownRealm: string };

/** True for a problem that is not acknowledged, not in downtime and not suppressed. */
export const isUnhandled = (row: Row): boolean => isProblem(row.status) && !row.handled;

/** True when the expected result of a row is overdue at `nowMs`, Unix ms. */
export const isOverdue = ({ overdueAtMs }: Row, nowMs: number): boolean =>
  overdueAtMs !== undefined && overdueAtMs <= nowMs;

/** [RM25] True for a row that is acknowledged, in downtime, or has a switch turned off. */
const isMuted = ({ acknowledgement, inDowntime, toggles }: Row): boolean =>
  acknowledgement !== undefined || inDowntime || Object.values(toggles).includes(false);

/** Fields of a row that selectors match. */
export const selectorSubjectOf = (row: Row, { ownRealm }: RealmNaming): SelectorSubject => ({
  key: row.about.key,
  labels: row.about.labels,
  zone: row.about.zone,
  realm: row.realm || ownRealm,
  checkType: row.about.checkType,
  status: row.status,
  cause: row.cause === undefined ? "" : refOf(row.cause),
  parents: row.about.parents,
  dependsOn: row.about.dependsOn,
});

export function matchesFilter(row: Row, filter: RowFilter, naming: RealmNaming): boolean {
  const { key } = row.about;
  return (
    mayEverMatch(row.realm, key, filter, naming) &&
    (filter.statuses.length === 0 || filter.statuses.includes(row.status)) &&
    (!filter.problemsOnly || isProblem(row.status)) &&
    (!filter.unhandledOnly || isUnhandled(row)) &&
    (!filter.hardOnly || row.stateType === "hard") &&
    (filter.overdueAtMs === undefined || isOverdue(row, filter.overdueAtMs)) &&
    (!filter.mutedOnly || isMuted(row)) &&
    (!filter.withDowntimes || row.downtimes.length > 0) &&
    (filter.search === "" || (filter.searchOutput ? hasWords(row, filter.search) : nameContains(key, filter.search))) &&
    (filter.selector === undefined || matchesSelector(filter.selector, selectorSubjectOf(row, naming)))
  );
}

/** Checks the conditions on identity, which never changes: false when no version of the object can pass the filter. */
export function mayEverMatch(realm: string, key: ObjectKey, filter: RowFilter, { ownRealm }: RealmNaming): boolean {
  return (
    (filter.key === undefined || sameKey(filter.key, key)) &&
    (filter.realm === "" || filter.realm === (realm || ownRealm)) &&
    (filter.kinds.length === 0 || filter.kinds.includes(key.kind))
  );
}

/** True when the filter has conditions beyond realm, kind, status and handling, so that rows have to be read. */
export const dependsOnNames = (filter: RowFilter): boolean =>
  filter.key !== undefined ||
  filter.selector !== undefined ||
  filter.search !== "" ||
  filter.hardOnly ||
  filter.overdueAtMs !== undefined ||
  filter.mutedOnly ||
  filter.withDowntimes;

/** True when only problems can pass the filter, so that the index of problems is sufficient. */
export const matchesOnlyProblems = (filter: RowFilter): boolean =>
  filter.problemsOnly || filter.unhandledOnly || (filter.statuses.length > 0 && filter.statuses.every(isProblem));

const sameKey = (a: ObjectKey, b: ObjectKey): boolean =>
  a.kind === b.kind && a.name === b.name && (a.kind !== "service" || (b.kind === "service" && a.host === b.host));

/** True when each word occurs in the object's name, realm or output. */
function hasWords(row: Row, search: string): boolean {
  const { key } = row.about;
  const text = `${key.kind === "service" ? key.host : ""} ${key.name} ${row.realm} ${row.output}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Searches the object's name; of a service `host!name` (`web1!http`). Case is ignored. */
export function nameContains(key: ObjectKey, search: string): boolean {
  const name = key.kind === "service" ? `${key.host}!${key.name}` : key.name;
  return name.toLowerCase().includes(search.toLowerCase());
}
