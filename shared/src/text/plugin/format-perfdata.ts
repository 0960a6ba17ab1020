import type { PerfPoint } from "../../model/perfdata.ts";

/** Formats performance data as plugins do: the inverse of `parsePerfdata`. */
export const formatPerfdata = (points: readonly PerfPoint[]): string => points.map(formatPoint).join(" ");

function formatPoint({ label, value, uom, warn, crit, min, max }: PerfPoint): string {
  const quoted = /[\s='"]/.test(label) ? `'${label.replaceAll("'", "''")}'` : label;
  const bounds = [warn, crit, min ?? "", max ?? ""].join(";").replace(/;+$/, "");
  return `${quoted}=${value ?? "U"}${uom}${bounds === "" ? "" : `;${bounds}`}`;
}
