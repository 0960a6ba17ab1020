import { keyOf } from "../model/object-key.ts";
import type { Labels } from "../model/row.ts";
import { blankMetadata } from "../row/metadata-fields.ts";
import type { Row } from "../row/row.ts";
import { blankRow } from "../row/row.ts";
import type { HistoryQuery, StatusQuery } from "./read-model.ts";
import { anyRow } from "./rows/row-filter.ts";

/** Realms of the contract and their labels, which their objects inherit. */
export const contractRealmLabels: Readonly<Record<string, Labels>> = { eu: { region: "west", tier: "any" }, us: {} };

/** Row of an object in state OK, for tests; `change` overrides fields. */
export function rowFor(realm: string, ref: string, change: Partial<Row> & { labels?: Labels } = {}): Row {
  const { labels = {}, ...different } = change;
  const key = keyOf(ref);
  const isProcess = key.kind === "process";
  const checked = isProcess ? { rule: '{"ref":"web1"}' } : { checkType: "tcp" };
  return {
    ...blankRow,
    about: { ...blankMetadata, key, labels, zone: "default", ...checked },
    ...{ realm, epoch: 1, revision: 1, status: "ok", lastHardStatus: "ok", attempt: 1, maxAttempts: 1 },
    ...different,
  };
}

/** Query for all rows, worst first. */
export const everyRow: StatusQuery = {
  ...anyRow,
  sort: { by: "severity", reverse: false },
  pageSize: 0,
  pageToken: "",
  pageOffset: 0,
  changedSince: "",
  changesOnly: false,
  summaryOnly: false,
  byRealm: false,
  byLabel: false,
  omitRealms: false,
  atMs: undefined,
  nowMs: 0,
};
/** Query for all history records, newest first. */
export const allHistory: HistoryQuery = {
  key: undefined,
  selector: undefined,
  realm: "",
  types: [],
  sinceMs: undefined,
  untilMs: undefined,
  actor: "",
  contact: "",
  search: "",
  pageSize: 100,
  pageToken: "",
};
