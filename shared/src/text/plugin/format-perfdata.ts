import type { PerfPoint } from "../../model/perfdata.ts";

/** Performance data in the plugins' own format: the reverse of `parsePerfdata`. */
export const formatPerfdata = (points: readonly PerfPoint[]): string => points.map(formatPoint).join(" ");

function formatPoint({ label, value, uom, warn, crit, min, max }: PerfPoint): string {
  const quoted = /[\s='"]/.test(label) ? `'${label.replaceAll("'", "''")}'` : label;
  const bounds = [warn, crit, min ?? "", max ?? ""].join(";").replace(/;+$/, "");
  return `${quoted}=${value ?? "U"}${uom}${bounds === "" ? "" : `;${bounds}`}`;
}
