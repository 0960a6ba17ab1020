import { type HistoryRecord, HistoryType } from "@realmwatch/proto/svc/v1/query_pb";
import { capital } from "@realmwatch/shared/view/capital";
import { recordTypeLabels } from "./record-details.ts";

/**
 * Search parameters of the history page. `show` is a key of the group or type filters, `q` a selector of objects, `range`
 * a key of `historyRanges`; `contact` and `actor` are applied to the records that were loaded.
 */
export type HistorySearch = {
  realm?: string;
  show?: string;
  q?: string;
  range?: string;
  contact?: string;
  actor?: string;
};

/** Ranges of the history page, ms. Without one, everything that is retained is listed. */
export const historyRanges: Readonly<Record<string, number>> = {
  "1h": 3_600_000,
  "24h": 86_400_000,
  "7d": 604_800_000,
  "30d": 2_592_000_000,
};

/**
 * Filter of loaded records by contact and by the person or program that acted; undefined without one. The actor is
 * looked for in the author's name and in the name on whose behalf it acted.
 */
export function historyFilterOf({
  contact = "",
  actor = "",
}: HistorySearch): ((record: HistoryRecord) => boolean) | undefined {
  if (contact === "" && actor === "") return undefined;
  const wanted = actor.toLowerCase();
  return (record) =>
    (contact === "" || record.contact === contact) &&
    (wanted === "" || [record.author, record.onBehalfOf].some((name) => name.toLowerCase().includes(wanted)));
}

type HistoryFilter = { readonly label: string; readonly types: readonly HistoryType[] };

/** Filters for a group of record types. */
export const historyGroupFilters: Readonly<Record<string, HistoryFilter>> = {
  states: {
    label: "State changes",
    types: [HistoryType.STATE, HistoryType.FLAPPING_START, HistoryType.FLAPPING_STOP],
  },
  notifications: {
    label: "Notifications",
    types: [
      HistoryType.NOTIFICATION,
      HistoryType.NOTIFICATION_QUEUED,
      HistoryType.NOTIFICATION_FAILED,
      HistoryType.NOTIFICATION_SUPPRESSED,
    ],
  },
  people: {
    label: "User actions",
    types: [
      HistoryType.ACKNOWLEDGED,
      HistoryType.ACKNOWLEDGEMENT_REMOVED,
      HistoryType.COMMENT_ADDED,
      HistoryType.COMMENT_DELETED,
      HistoryType.DOWNTIME_SCHEDULED,
      HistoryType.DOWNTIME_CANCELLED,
      HistoryType.TOGGLE,
    ],
  },
  downtimes: {
    label: "Downtimes",
    types: [
      HistoryType.DOWNTIME_SCHEDULED,
      HistoryType.DOWNTIME_START,
      HistoryType.DOWNTIME_END,
      HistoryType.DOWNTIME_CANCELLED,
    ],
  },
  system: { label: "System", types: [HistoryType.CONFIG, HistoryType.HANDLER, HistoryType.GAP] },
};

/** Filters for one record type by its enum name in lower case, as on the command line: `notification_failed`. */
export const historyTypeFilters: Readonly<Record<string, HistoryFilter>> = Object.fromEntries(
  Object.entries(HistoryType)
    .filter(([, type]) => type in recordTypeLabels)
    .map(([name, type]) => [name.toLowerCase(), { label: capital(recordTypeLabels[type] ?? ""), types: [type] }]),
);

/** Record types to request; empty means all. */
export function historyTypesOf({ show = "" }: HistorySearch): HistoryType[] {
  for (const choices of [historyGroupFilters, historyTypeFilters])
    if (Object.hasOwn(choices, show)) return [...(choices[show]?.types ?? [])];
  return [];
}

export function parseHistorySearch(raw: Record<string, unknown>): HistorySearch {
  const search: HistorySearch = {};
  const { realm, show, range } = raw;
  if (typeof realm === "string" && realm !== "") search.realm = realm;
  if (typeof show === "string" && historyTypesOf({ show }).length > 0) search.show = show;
  if (typeof range === "string" && Object.hasOwn(historyRanges, range)) search.range = range;
  for (const name of ["q", "contact", "actor"] as const) {
    const value = raw[name];
    if (typeof value === "string" && value !== "") search[name] = value;
  }
  return search;
}
