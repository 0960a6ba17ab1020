import type { ObjectKey } from "../../model/object-key.ts";
import type { Row } from "../../model/row.ts";
import { isProblem } from "../../model/status.ts";
import { matchesSelector, type SelectorSubject } from "../../text/selector.ts";
import type { RowFilter } from "../read-model.ts";

/** Lets everything through. */
export const anyRow: RowFilter = {
  key: undefined,
  selector: undefined,
  realm: "",
  kinds: [],
  statuses: [],
  problemsOnly: false,
  unhandledOnly: false,
  search: "",
};

/** @param ownRealm the name that rows without a realm go by: an agent's own; empty on an aggregator */
export type RealmNaming = { readonly ownRealm: string };

/** A problem that nobody acknowledged, that is in no downtime and that nothing suppresses. */
export const isUnhandled = (row: Row): boolean => isProblem(row.status) && !row.handled;

/** What a selector sees of a row. */
export const selectorSubjectOf = (row: Row, { ownRealm }: RealmNaming): SelectorSubject => ({
  key: row.about.key,
  labels: row.about.labels,
  zone: row.about.zone,
  realm: row.realm || ownRealm,
  checkType: row.about.checkType,
  status: row.status,
});

export function matchesFilter(row: Row, filter: RowFilter, naming: RealmNaming): boolean {
  const { key } = row.about;
  return (
    mayEverMatch(row.realm, key, filter, naming) &&
    (filter.statuses.length === 0 || filter.statuses.includes(row.status)) &&
    (!filter.problemsOnly || isProblem(row.status)) &&
    (!filter.unhandledOnly || isUnhandled(row)) &&
    (filter.search === "" || nameContains(key, filter.search)) &&
    (filter.selector === undefined || matchesSelector(filter.selector, selectorSubjectOf(row, naming)))
  );
}

/** What never changes about an object: false where no version of it can ever pass the filter. */
export function mayEverMatch(realm: string, key: ObjectKey, filter: RowFilter, { ownRealm }: RealmNaming): boolean {
  return (
    (filter.key === undefined || sameKey(filter.key, key)) &&
    (filter.realm === "" || filter.realm === (realm || ownRealm)) &&
    (filter.kinds.length === 0 || filter.kinds.includes(key.kind))
  );
}

/** Whether the filter asks for more than `@realm`, kind, status and handling: only then it has to look at names. */
export const dependsOnNames = (filter: RowFilter): boolean =>
  filter.key !== undefined || filter.selector !== undefined || filter.search !== "";

/** True where the filter lets only problems through, so that an index of problems is enough. */
export const matchesOnlyProblems = (filter: RowFilter): boolean =>
  filter.problemsOnly || filter.unhandledOnly || (filter.statuses.length > 0 && filter.statuses.every(isProblem));

const sameKey = (a: ObjectKey, b: ObjectKey): boolean =>
  a.kind === b.kind && a.name === b.name && (a.kind !== "service" || (b.kind === "service" && a.host === b.host));

/** In the object's own name, its host's, or both as a reference writes them (`web1!http`). Case is ignored. */
function nameContains(key: ObjectKey, search: string): boolean {
  const name = key.kind === "service" ? `${key.host}!${key.name}` : key.name;
  return name.toLowerCase().includes(search.toLowerCase());
}
