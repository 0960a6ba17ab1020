import { keyOf } from "../model/object-key.ts";
import type { Labels, Row } from "../model/row.ts";
import { allObjectTogglesOn } from "../model/toggles.ts";
import type { HistoryQuery, StatusQuery } from "./read-model.ts";
import { anyRow } from "./rows/row-filter.ts";

/** Realms of the contract and their labels, which their objects inherit. */
export const contractRealmLabels: Readonly<Record<string, Labels>> = { eu: { region: "west", tier: "any" }, us: {} };

/** Row of an object in state OK, for tests; `change` overrides fields. */
export function rowFor(realm: string, ref: string, change: Partial<Row> & { labels?: Labels } = {}): Row {
  const { labels = {}, ...different } = change;
  const key = keyOf(ref);
  return {
    about: {
      key,
      labels,
      parents: [],
      checkType: key.kind === "process" ? "" : "tcp",
      rule: key.kind === "process" ? '{"ref":"web1"}' : "",
      zone: "default",
      checkPeriod: "",
      notificationPeriod: "",
    },
    realm,
    epoch: 1,
    revision: 1,
    status: "ok",
    stateType: "hard",
    attempt: 1,
    maxAttempts: 1,
    lastHardStatus: "ok",
    output: "",
    longOutput: "",
    perfdata: [],
    lastCheckAtMs: undefined,
    nextCheckAtMs: undefined,
    overdueAtMs: undefined,
    lastChangeAtMs: undefined,
    lastHardChangeAtMs: undefined,
    latencyMs: undefined,
    executionMs: undefined,
    checkSource: "",
    flapping: false,
    flapValue: 0,
    acknowledgement: undefined,
    downtimes: [],
    inDowntime: false,
    comments: [],
    toggles: allObjectTogglesOn,
    notification: undefined,
    suppressedBy: [],
    handled: false,
    truncated: false,
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
  pageSize: 100,
  pageToken: "",
};
