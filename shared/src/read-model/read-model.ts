import type { Catalog } from "../model/catalog.ts";
import type { HistoryRecord, HistoryType } from "../model/history.ts";
import type { ObjectKey, ObjectKind } from "../model/object-key.ts";
import type { RealmView } from "../model/realm.ts";
import type { Refusal } from "../model/refusal.ts";
import type { Result } from "../model/result.ts";
import type { StatusCount } from "../model/row.ts";
import type { Status } from "../model/status.ts";
import type { Row } from "../row/row.ts";
import type { Selector } from "../text/selector/selector.ts";
import type { StoredHistory } from "./history/stored-history.ts";

export const statusSorts = ["severity", "name", "lastChange", "lastCheck"] as const;
export type StatusSort = { readonly by: (typeof statusSorts)[number]; readonly reverse: boolean };

/** Filter of rows. A row has to pass every condition; empty lists, empty texts and undefined mean no condition. */
export type RowFilter = {
  readonly key: ObjectKey | undefined;
  readonly selector: Selector | undefined;
  /** Empty means every realm. */
  readonly realm: string;
  readonly kinds: readonly ObjectKind[];
  readonly statuses: readonly Status[];
  readonly problemsOnly: boolean;
  readonly unhandledOnly: boolean;
  readonly hardOnly: boolean;
  /** Only rows that are overdue at this time, Unix ms; undefined for all rows. */
  readonly overdueAtMs: number | undefined;
  /** Only rows that are acknowledged, in downtime, or have a switch turned off. */
  readonly mutedOnly: boolean;
  /** Only rows with a downtime of their own, in effect or scheduled. */
  readonly withDowntimes: boolean;
  /** Part of a name, compared case-insensitively; empty means any. */
  readonly search: string;
  /** True when `search` is a list of words, each of which has to occur in the name, the realm or the output. */
  readonly searchOutput: boolean;
};

export type StatusQuery = RowFilter & {
  readonly sort: StatusSort;
  /** Maximum number of rows; 0 means all. */
  readonly pageSize: number;
  readonly pageToken: string;
  /** Number of rows to skip after `pageToken`. */
  readonly pageOffset: number;
  /** Revision of an earlier answer; empty for a full answer. */
  readonly changedSince: string;
  /** True to leave out all rows when the changes since `changedSince` are not known. */
  readonly changesOnly: boolean;
  /** True to leave out rows and removals. */
  readonly summaryOnly: boolean;
  /** True for the counts of each realm in addition. */
  readonly byRealm: boolean;
  /** True for the most frequent labels in addition. */
  readonly byLabel: boolean;
  /** True when the answer has no realms. */
  readonly omitRealms: boolean;
  /** Time at which the rows are shown, Unix ms; undefined for now. Never together with `changedSince`. */
  readonly atMs: number | undefined;
  /** Current time, Unix ms, by which rows are overdue. */
  readonly nowMs: number;
};

/**
 * Numbers of rows by kind and status, and of those that are unhandled, in downtime, acknowledged or flapping. `behind`:
 * number of objects behind the unhandled ones, whether they match or not.
 */
export type RowStateTotals = {
  readonly counts: readonly StatusCount[];
  readonly unhandled: number;
  readonly inDowntime: number;
  readonly acknowledged: number;
  readonly flapping: number;
  readonly behind: number;
};

/** `overdue`: number of rows whose expected result is overdue. */
export type RowTotals = RowStateTotals & { readonly overdue: number };

/** `lastKnown`: the same over the rows of realms that are not current; undefined on an agent. */
export type StatusSummary = RowTotals & { readonly lastKnown?: RowTotals };

/**
 * Names of the realms that are current when the answer is given: the rows of all others are stale. Undefined on an
 * agent, which has no realms.
 */
export type CurrentRealms = ReadonlySet<string> | undefined;

export type StatusAnswer = ObjectsAnswer & {
  readonly summary: StatusSummary;
  readonly revision: string;
  readonly removed: readonly { readonly realm: string; readonly key: ObjectKey }[];
  /** True when a query with `changedSince` was answered in full. */
  readonly full: boolean;
  /** Realms of an aggregator: all, or with `changedSince` those whose records changed. */
  readonly realms: readonly RealmView[];
  /** Counts of each realm that has matching rows; only for queries with `byRealm`. */
  readonly realmSummaries?: readonly RealmTotals[];
  /** Most frequent labels of the matching rows; only for queries with `byLabel`. */
  readonly labelCounts?: readonly LabelCount[];
};

/** Number of matching rows with a label, and of those among them whose realm is not current. */
export type LabelCount = {
  readonly key: string;
  readonly value: string;
  readonly count: number;
  readonly lastKnown: number;
  /** Most severe status of these rows. */
  readonly worst: Status;
};

export type RealmTotals = { readonly realm: string; readonly totals: RowTotals };

export type ObjectsQuery = Pick<RowFilter, "kinds" | "selector" | "realm"> & {
  readonly pageSize: number;
  readonly pageToken: string;
};
export type ObjectsAnswer = {
  readonly rows: readonly Row[];
  readonly nextPageToken: string;
  readonly currentRealms: CurrentRealms;
};

export type HistoryQuery = Pick<RowFilter, "key" | "selector" | "realm"> & {
  readonly types: readonly HistoryType[];
  /** Inclusive start, Unix ms. */
  readonly sinceMs: number | undefined;
  /** Exclusive end, Unix ms. */
  readonly untilMs: number | undefined;
  /** Author or name on whose behalf it acted; empty for all. */
  readonly actor: string;
  /** Name of a contact; empty for all. */
  readonly contact: string;
  /** Part of an object's name, an output or a comment, in any case; empty for all. */
  readonly search: string;
  /** Maximum number of records, 1 to 1000. */
  readonly pageSize: number;
  readonly pageToken: string;
};
export type HistoryAnswer = {
  readonly records: readonly HistoryRecord[];
  readonly nextPageToken: string;
  /** Realms of which records are missing, because they cannot be read now; undefined for none. */
  readonly unread?: readonly UnreadHistory[];
  /** On an aggregator: the records that are stored of each realm of the query that can be read. */
  readonly held?: ReadonlyMap<string, StoredHistory>;
};
/** Realm of which records are missing in an answer. */
export type UnreadHistory = {
  readonly realm: string;
  readonly why: string;
  /** Name of the error code. Default `unavailable`. */
  readonly code?: string;
  /** Instant from which on no record is missing, Unix ms; absent when it is unknown. */
  readonly heldSinceMs?: number;
};

/**
 * Read side of QueryService: in memory in the agent, over Redis in the aggregator. Both pass the same contract
 * (`contract/read-model.contract.ts`). Each answer is consistent with one point in time and never waits for a write.
 * Refusals: `malformed` for an invalid page token, `unavailable` when the store is away.
 */
export interface ReadModel {
  status(query: StatusQuery): Promise<Result<StatusAnswer, Refusal>>;
  objects(query: ObjectsQuery): Promise<Result<ObjectsAnswer, Refusal>>;
  history(query: HistoryQuery): Promise<Result<HistoryAnswer, Refusal>>;
  /** Returns one catalog for each realm; on an agent exactly one. */
  catalogs(): Promise<Result<readonly Catalog[], Refusal>>;
  /** Returns the realms of an aggregator; empty on an agent. */
  realms(): Promise<Result<readonly RealmView[], Refusal>>;
}
