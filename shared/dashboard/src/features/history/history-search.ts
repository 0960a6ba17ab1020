import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { HistoryType } from "@realmwatch/proto/svc/v1/query_pb";
import { capital } from "@realmwatch/shared/view/capital";
import { searchTexts } from "../../components/controls/search-texts.ts";
import { parsePastInstant } from "../../components/time/past-instant.ts";
import { parseSpanMs } from "../../components/time/wall-time.ts";
import { recordTypeLabels } from "./record-details.ts";

/**
 * Search parameters of the history page. `show` is a key of the group or type filters, `q` a selector of objects, `range`
 * one of `historyRanges`, which counts back from `until`, an RFC 3339 instant, or from now.
 */
export type HistorySearch = {
  realm?: string;
  show?: string;
  q?: string;
  range?: string;
  contact?: string;
  actor?: string;
  text?: string;
  until?: string;
};

/** Ranges of the history page. Without one, everything that is retained is listed. */
export const historyRanges: readonly string[] = ["1h", "24h", "7d", "30d"];

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
      HistoryType.NOTE,
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
  system: {
    label: "System",
    types: [
      ...[HistoryType.CONFIG, HistoryType.HANDLER, HistoryType.GAP],
      ...[HistoryType.PAIR_TAKEOVER, HistoryType.PAIR_DEGRADED, HistoryType.PAIR_RECOVERED],
    ],
  },
};

/** Filters for one record type by its enum name in lower case, as on the command line: `notification_failed`. */
export const historyTypeFilters: Readonly<Record<string, HistoryFilter>> = Object.fromEntries(
  Object.entries(HistoryType)
    .filter(([, type]) => type in recordTypeLabels)
    .map(([name, type]) => [name.toLowerCase(), { label: capital(recordTypeLabels[type] ?? ""), types: [type] }]),
);

/** Record types to request; empty means all. */
function historyTypesOf({ show = "" }: HistorySearch): HistoryType[] {
  for (const choices of [historyGroupFilters, historyTypeFilters])
    if (Object.hasOwn(choices, show)) return [...(choices[show]?.types ?? [])];
  return [];
}

/** Request of the records that a search asks for. */
export function historyRequestOf(search: HistorySearch, nowMs: number) {
  const { realm = "", q = "", actor = "", contact = "", text = "", range = "" } = search;
  const untilMs = parsePastInstant(search.until);
  const rangeMs = parseSpanMs(range);
  return {
    ...{ realm, selector: q, actor, contact, search: text, types: historyTypesOf(search) },
    ...(rangeMs === undefined ? {} : { since: timestampFromMs((untilMs ?? nowMs) - rangeMs) }),
    ...(untilMs === undefined ? {} : { until: timestampFromMs(untilMs) }),
  };
}

const textsOf = searchTexts("realm", "show", "q", "range", "contact", "actor", "text", "until");

export function parseHistorySearch(raw: Record<string, unknown>): HistorySearch {
  const search: HistorySearch = textsOf(raw);
  if (historyTypesOf(search).length === 0) delete search.show;
  if (!historyRanges.includes(search.range ?? "")) delete search.range;
  return search;
}
