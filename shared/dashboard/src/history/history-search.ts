import { HistoryType } from "@realmwatch/proto/svc/v1/query_pb";

/** What the history's address says. */
export type HistorySearch = { realm?: string; show?: string };

/** The groups that the feed can be narrowed to. */
export const historyGroups: Readonly<Record<string, { label: string; types: readonly HistoryType[] }>> = {
  states: { label: "State changes", types: [HistoryType.STATE, HistoryType.FLAPPING_START, HistoryType.FLAPPING_STOP] },
  notifications: {
    label: "Notifications",
    types: [HistoryType.NOTIFICATION, HistoryType.NOTIFICATION_FAILED, HistoryType.NOTIFICATION_SUPPRESSED],
  },
  people: {
    label: "What people did",
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

export function readHistorySearch(raw: Record<string, unknown>): HistorySearch {
  const search: HistorySearch = {};
  if (typeof raw["realm"] === "string" && raw["realm"] !== "") search.realm = raw["realm"];
  if (typeof raw["show"] === "string" && Object.hasOwn(historyGroups, raw["show"])) search.show = raw["show"];
  return search;
}
