import { searchTexts } from "../../components/controls/search-texts.ts";

/** Parses the address of a report. `from` and `to` are dates of a free range, which has precedence; `to` is exclusive. */
export const parseReportSearch = searchTexts("month", "from", "to", "zone", "by", "realm");

/** Parameters of the address of a report. */
export type ReportSearch = ReturnType<typeof parseReportSearch>;
