/** Parameters of the address of a report. */
export type ReportSearch = {
  readonly month?: string;
  /** Dates of a free range, which has precedence; `to` is exclusive. */
  readonly from?: string;
  readonly to?: string;
  readonly zone?: string;
  readonly by?: string;
  readonly realm?: string;
};

const names = ["month", "from", "to", "zone", "by", "realm"] as const;

/** Parameters that have a text. */
export const parseReportSearch = (search: Record<string, unknown>): ReportSearch =>
  Object.fromEntries(
    names.flatMap((name) => (typeof search[name] === "string" && search[name] !== "" ? [[name, search[name]]] : [])),
  );
