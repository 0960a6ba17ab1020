import { parseReportBy, type ReportBy } from "@realmwatch/shared/view/report/report";
import {
  dateStartMs,
  isMonth,
  isZone,
  laterMonth,
  monthAt,
  monthRange,
  pastRange,
} from "@realmwatch/shared/view/report/report-range";
import type { ReportSpan } from "@realmwatch/shared/view/report/report-text";
import type { DisplayZone } from "../../api/context/preferences.ts";
import type { ReportSearch } from "./report-search-parameters.ts";

type AskedReport = { readonly by: ReportBy; readonly span: ReportSpan } | { readonly wrong: string };

/** Zone of a report: that of the address, else the one in which the browser shows times. */
export const zoneOf = ({ zone = "" }: ReportSearch, shown: DisplayZone): string =>
  zone || (shown === "utc" ? "UTC" : Intl.DateTimeFormat().resolvedOptions().timeZone);

/** Month that is chosen: that of the address, else the last one that is over. */
export const chosenMonth = ({ month }: ReportSearch, zone: string, nowMs: number): string =>
  month ?? laterMonth(monthAt(nowMs, isZone(zone) ? zone : "UTC"), -1);

/** [RP1, RP2] Report that an address asks for, or a sentence about what is wrong in it. */
export function readReportSearch(search: ReportSearch, zone: string, nowMs: number): AskedReport {
  const { from, to, by: text = "slo" } = search;
  if (!isZone(zone)) return { wrong: `${zone} is not an IANA zone such as Europe/Berlin.` };
  const by = parseReportBy(text);
  if (!by.ok) return { wrong: `${text} ${by.error}.` };
  const month = chosenMonth(search, zone, nowMs);
  if (from === undefined && !isMonth(month)) return { wrong: `${month} is not a month such as 2026-10.` };
  const range =
    from === undefined
      ? monthRange(month, zone)
      : { fromMs: dateStartMs(from, zone), toMs: to === undefined ? nowMs : dateStartMs(to, zone) };
  const { fromMs, toMs } = range;
  if (fromMs === undefined || toMs === undefined) return { wrong: "A date such as 2026-10-01 is needed." };
  const past = pastRange({ fromMs, toMs }, nowMs);
  if (!past.ok) return { wrong: `The range ${past.error}.` };
  return { by: by.value, span: { ...past.value, zone, month: from === undefined ? month : undefined } };
}
