import { refOf } from "../../model/object-key.ts";
import { selectedValues } from "../../text/selector/selector.ts";
import type { RowFilter } from "../read-model.ts";
import { isLive, type LiveEntry, type ObjectEntry } from "./object-entry.ts";
import { matchesFilter, matchesOnlyProblems } from "./row-filter.ts";
import type { RealmRows, RowStore } from "./row-store.ts";

/** Live entries that a filter matches. */
export function* matchingEntries(store: RowStore, filter: RowFilter, ownRealm: string): Iterable<LiveEntry> {
  for (const entry of candidateEntries(store, filter, ownRealm))
    if (isLive(entry) && matchesFilter(entry.row, filter, { ownRealm })) yield entry;
}

/** Entries of the smallest index that contains everything the filter can match. */
function* candidateEntries(store: RowStore, filter: RowFilter, ownRealm: string): Iterable<ObjectEntry> {
  const realms = realmsOf(store, filter.realm, ownRealm);
  if (filter.key !== undefined) {
    const ref = refOf(filter.key);
    for (const realm of realms) {
      const entry = realm.entries.get(ref);
      if (entry !== undefined) yield entry;
    }
    return;
  }
  const hosts = filter.selector && selectedValues(filter.selector, "@host");
  const parents = filter.selector && selectedValues(filter.selector, "@parent");
  const masters = filter.selector && selectedValues(filter.selector, "@dependency");
  if (hosts !== undefined) for (const host of hosts) yield* store.servicesByHost.get(host) ?? [];
  else if (parents !== undefined) yield* withAnyOf(store.hostsByParent, parents);
  else if (masters !== undefined) yield* withAnyOf(store.dependents, masters);
  else if (matchesOnlyProblems(filter) || (filter.selector && selectedValues(filter.selector, "@cause")))
    yield* store.problems;
  else for (const realm of realms) yield* realm.entries.values();
}

/** Entries that an index has for any of the names. One with two of them is yielded once. */
const withAnyOf = (
  index: ReadonlyMap<string, ReadonlySet<LiveEntry>>,
  names: ReadonlySet<string>,
): ReadonlySet<LiveEntry> => new Set([...names].flatMap((name) => [...(index.get(name) ?? [])]));

/** Realms that a filter by realm leaves: all for an empty name. */
export function realmsOf(store: RowStore, realm: string, ownRealm: string): readonly RealmRows[] {
  if (realm === "") return [...store.realms.values()];
  const found = store.realms.get(realm === ownRealm ? "" : realm);
  return found === undefined ? [] : [found];
}

/** Entries that a past query with this filter may need: also hosts and parents, which may suppress the matches. */
export function* entriesAround({ key }: RowFilter, realms: readonly RealmRows[]): Iterable<LiveEntry> {
  for (const { entries } of realms) {
    if (key === undefined) for (const entry of entries.values()) yield* liveEntries(entry);
    else {
      const entry = entries.get(refOf(key));
      yield* liveEntries(entry);
      if (key.kind === "service") yield* liveEntries(entries.get(key.host));
      for (const parent of entry?.row?.about.parents ?? []) yield* liveEntries(entries.get(parent));
    }
  }
}

const liveEntries = (entry: ObjectEntry | undefined): readonly LiveEntry[] =>
  entry !== undefined && isLive(entry) ? [entry] : [];
