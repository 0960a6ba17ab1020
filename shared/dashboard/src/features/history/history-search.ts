import { HistoryType } from "@realmwatch/proto/svc/v1/query_pb";
import { recordTypeLabels } from "./record-details.ts";

/** Search parameters of the history page. `show` is a key of the group or type filters. */
export type HistorySearch = { realm?: string; show?: string };

type HistoryFilter = { readonly label: string; readonly types: readonly HistoryType[] };

/** Filters for a group of record types. */
export const historyGroupFilters: Readonly<Record<string, HistoryFilter>> = {
  states: { label: "State changes", types: [HistoryType.STATE, HistoryType.FLAPPING_START, HistoryType.FLAPPING_STOP] },
  notifications: {
    label: "Notifications",
    types: [HistoryType.NOTIFICATION, HistoryType.NOTIFICATION_FAILED, HistoryType.NOTIFICATION_SUPPRESSED],
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

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

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
  const { realm, show } = raw;
  if (typeof realm === "string" && realm !== "") search.realm = realm;
  if (typeof show === "string" && historyTypesOf({ show }).length > 0) search.show = show;
  return search;
}
