import type { Catalog } from "../model/catalog.ts";
import type { HistoryRecord, HistoryType } from "../model/history.ts";
import type { ObjectKey, ObjectKind } from "../model/object-key.ts";
import type { RealmView } from "../model/realm.ts";
import type { Refusal } from "../model/refusal.ts";
import type { Result } from "../model/result.ts";
import type { Row } from "../model/row.ts";
import type { Status } from "../model/status.ts";
import type { Selector } from "../text/selector.ts";

export const statusSorts = ["severity", "name", "lastChange", "lastCheck"] as const;
export type StatusSort = { readonly by: (typeof statusSorts)[number]; readonly reverse: boolean };

/** Which rows. Everything given has to hold; empty lists and undefined leave nothing out. */
export type RowFilter = {
  readonly key: ObjectKey | undefined;
  readonly selector: Selector | undefined;
  /** Empty means every realm. */
  readonly realm: string;
  readonly kinds: readonly ObjectKind[];
  readonly statuses: readonly Status[];
  readonly problemsOnly: boolean;
  readonly unhandledOnly: boolean;
  /** Part of a name, compared without case; empty means any. */
  readonly search: string;
};

export type StatusQuery = RowFilter & {
  readonly sort: StatusSort;
  /** 0 means everything. */
  readonly pageSize: number;
  readonly pageToken: string;
  /** A revision of an earlier answer, or empty. */
  readonly changedSince: string;
  /** Rows as they were at this instant, Unix ms; undefined for now. Never together with `changedSince`. */
  readonly atMs: number | undefined;
};

export type StatusSummary = {
  readonly counts: readonly { readonly kind: ObjectKind; readonly status: Status; readonly count: number }[];
  readonly unhandled: number;
  readonly inDowntime: number;
  readonly acknowledged: number;
  readonly flapping: number;
};

export type StatusAnswer = {
  readonly rows: readonly Row[];
  readonly summary: StatusSummary;
  readonly nextPageToken: string;
  readonly revision: string;
  readonly removed: readonly { readonly realm: string; readonly key: ObjectKey }[];
  /** Only with `changedSince`: everything was given again. */
  readonly full: boolean;
};

export type ObjectsQuery = Pick<RowFilter, "kinds" | "selector" | "realm"> & {
  readonly pageSize: number;
  readonly pageToken: string;
};
export type ObjectsAnswer = { readonly rows: readonly Row[]; readonly nextPageToken: string };

export type HistoryQuery = {
  readonly key: ObjectKey | undefined;
  readonly selector: Selector | undefined;
  readonly realm: string;
  readonly types: readonly HistoryType[];
  /** From this instant on, Unix ms. */
  readonly sinceMs: number | undefined;
  /** Before this instant, Unix ms. */
  readonly untilMs: number | undefined;
  /** 1 to 1000. */
  readonly pageSize: number;
  readonly pageToken: string;
};
export type HistoryAnswer = { readonly records: readonly HistoryRecord[]; readonly nextPageToken: string };

/**
 * What QueryService reads. In memory in the agent, over Redis in the aggregator; both pass the same
 * contract (`read-model.contract.ts`). Answers are consistent with one instant each and never wait for
 * a write. Refusals: `malformed` for a page token that is none, `unavailable` where the store is away.
 */
export interface ReadModel {
  status(query: StatusQuery): Promise<Result<StatusAnswer, Refusal>>;
  objects(query: ObjectsQuery): Promise<Result<ObjectsAnswer, Refusal>>;
  history(query: HistoryQuery): Promise<Result<HistoryAnswer, Refusal>>;
  /** One for each realm; on an agent exactly one. */
  catalogs(): Promise<Result<readonly Catalog[], Refusal>>;
  /** Empty on an agent. */
  realms(): Promise<Result<readonly RealmView[], Refusal>>;
}
