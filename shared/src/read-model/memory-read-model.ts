import type { Catalog } from "../model/catalog.ts";
import { type ObjectKey, refOf } from "../model/object-key.ts";
import type { RealmView } from "../model/realm.ts";
import { ok } from "../model/result.ts";
import type { Labels } from "../model/row.ts";
import type { Row, RowChange } from "../row/row.ts";
import type { SelectorSubject } from "../text/selector/selector.ts";
import type { HistorySource } from "./history/history-source.ts";
import type { PastSource } from "./past/past-records.ts";
import { openPastStatus } from "./past/past-status.ts";
import { scanPastRecords } from "./past/scan-past-records.ts";
import type { ReadModel } from "./read-model.ts";
import { entriesAround, realmsOf } from "./rows/row-candidates.ts";
import { summaryOfCounts } from "./rows/row-counts.ts";
import { anyRow, selectorSubjectOf } from "./rows/row-filter.ts";
import { RowStore } from "./rows/row-store.ts";
import { currentRealmsOf, StatusAnswers } from "./status-answers.ts";

type MemoryReadModelOptions = {
  /** Unique id of this process run: revisions of another generation are answered in full. */
  readonly generation: string;
  readonly history: HistorySource;
  /** Source of records around a past time. Default: each query reads all of `history`. */
  readonly past?: PastSource;
  /** Yields to the event loop during queries that read everything. Default: no yield. */
  readonly yieldToEventLoop?: () => Promise<void>;
  /** Realm of rows whose realm is empty: the agent's own. Default: empty, as on an aggregator. */
  readonly ownRealm?: string;
  /** Labels of a realm, which its objects inherit unless they have their own. Default: none. */
  readonly realmLabels?: (realm: string) => Labels;
  /** Maximum number of deleted objects that are remembered. Default 50 000. */
  readonly maxTombstones?: number;
};

export type MemoryReadModel = ReadModel & {
  /** Applies changes in any order and repetition: the greatest (epoch, revision) of each object wins. */
  apply(changes: readonly RowChange[]): void;
  setCatalog(catalog: Catalog): void;
  /** Sets the source of the realms. Default: no realms. */
  setRealms(realms: () => readonly RealmView[]): void;
  /** Removes the realm's rows of epochs below `epoch`, and ignores such rows from now on. */
  dropRealmRowsBelow(realm: string, epoch: number): void;
  /** Removes the rows and the catalog of a realm, which may begin again with any epoch. */
  forgetRealm(realm: string): void;
  /** Fields of an object that selectors match; undefined when the object does not exist. */
  selectorSubject(realm: string, key: ObjectKey): SelectorSubject | undefined;
  /** Present rows of a realm. */
  rows(realm: string): Iterable<Row>;
  /** Present row of an object; undefined when the object does not exist. */
  row(realm: string, ref: string): Row | undefined;
  readonly size: number;
};

/**
 * Read model in memory. Summaries without a filter, or by realm, kind, status and handling, have constant cost;
 * `changedSince` costs the number of changes; a selector costs one pass over the rows that the indexes leave.
 */
export function memoryReadModel(options: MemoryReadModelOptions): MemoryReadModel {
  const store = new RowStore(options.maxTombstones ?? 50_000);
  const naming = { ownRealm: options.ownRealm ?? "" };
  const catalogs = new Map<string, Catalog>();
  let realms: () => readonly RealmView[] = () => [];
  const yieldToEventLoop = options.yieldToEventLoop ?? (async () => {});
  const pastStatus = openPastStatus({
    naming,
    yieldToEventLoop,
    past: options.past ?? scanPastRecords(options.history, yieldToEventLoop),
    entries: (filter) => entriesAround(filter, realmsOf(store, filter.realm, naming.ownRealm)),
  });
  const withRealmLabels = realmLabelMerger(options.realmLabels);
  const rowOf = (realm: string, ref: string): Row | undefined => store.realms.get(realm)?.entries.get(ref)?.row;
  const answers = new StatusAnswers({ store, naming, generation: options.generation });

  return {
    apply(changes) {
      for (const change of changes) store.apply(withRealmLabels(change));
      store.settleCauses();
    },
    setCatalog(catalog) {
      catalogs.set(catalog.realm, catalog);
      store.setContacts(catalog.realm, catalog.contacts);
    },
    setRealms(source) {
      realms = source;
    },
    dropRealmRowsBelow: (realm, epoch) => store.dropRealmRowsBelow(realm, epoch),
    forgetRealm(realm) {
      store.forgetRealm(realm);
      catalogs.delete(realm);
      store.setContacts(realm, []);
    },
    selectorSubject(realm, key) {
      const row = rowOf(realm, refOf(key));
      return row && selectorSubjectOf(row, naming);
    },
    *rows(realm) {
      for (const { row } of store.realms.get(realm)?.entries.values() ?? []) if (row !== undefined) yield row;
    },
    row: rowOf,
    get size() {
      const counts = [...store.realms.values()].map((realm) => realm.counts);
      return summaryOfCounts(counts, anyRow).counts.reduce((sum, { count }) => sum + count, 0);
    },
    async status(query) {
      const views = realms();
      if (query.atMs === undefined) return answers.status(query, views);
      const past = await pastStatus.status(query, query.atMs);
      if (!past.ok) return past;
      const currentRealms = currentRealmsOf(views);
      return ok({ ...past.value, realms: query.omitRealms ? [] : views, currentRealms });
    },
    objects: async (query) => answers.objects(query, realms()),
    history: (query) => options.history.history(query),
    catalogs: async () => ok([...catalogs.values()].sort((a, b) => (a.realm < b.realm ? -1 : 1))),
    realms: async () => ok(realms()),
  };
}

/** Adds the realm's labels to each row, unless the object has its own, so that readers and selectors see both. */
function realmLabelMerger(realmLabels: MemoryReadModelOptions["realmLabels"]): (change: RowChange) => RowChange {
  if (realmLabels === undefined) return (change) => change;
  return (change) => {
    if (change.kind === "drop") return change;
    const { row } = change;
    const below = realmLabels(row.realm);
    if (Object.keys(below).length === 0) return change;
    return { ...change, row: { ...row, about: { ...row.about, labels: { ...below, ...row.about.labels } } } };
  };
}
