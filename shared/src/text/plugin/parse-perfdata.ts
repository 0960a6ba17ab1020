import type { PerfPoint } from "../../model/perfdata.ts";
import { parseThreshold } from "./threshold.ts";

/** The next item: blanks, then a quoted or bare label, `=`, and what follows up to a blank. A stray `|` is a blank. */
const item = /[\s|]*(?:'((?:[^']|'')*)'|([^\s='|][^\s=|]*))=([^\s|]*)/y;
const badItem = /[\s|]*[^\s|]*/y;

const numberWithUnit = /^([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)(.*)$/;
/** Units are kept as they are; what cannot be one (digits, a comma, a second point) shows that the number was none. */
const unit = /^(?:[\p{L}%°\p{Sc}][^\s0-9,;=:'"|]*)?$/u;

/**
 * Reads performance data, `'label'=value[unit];[warn];[crit];[min];[max]` separated by blanks. An item that is none is
 * left out, a bound that is none is empty; neither costs its neighbours anything. Takes time linear in `text`.
 *
 * A label with `::` (check_multi) hands the part before its last `::` on to the plain labels after it.
 */
export function parsePerfdata(text: string): PerfPoint[] {
  const points: PerfPoint[] = [];
  let prefix = "";
  for (let at = 0; at < text.length; ) {
    item.lastIndex = at;
    const found = item.exec(text);
    if (found === null) {
      badItem.lastIndex = at;
      badItem.exec(text);
      at = badItem.lastIndex;
      continue;
    }
    at = item.lastIndex;
    const own = found[2] ?? (found[1] ?? "").replaceAll("''", "'");
    const split = own.lastIndexOf("::");
    if (split >= 0) prefix = own.slice(0, split + 2);
    const point = own === "" ? undefined : readPoint(split >= 0 ? own : prefix + own, found[3] ?? "");
    if (point !== undefined) points.push(point);
  }
  return points;
}

function readPoint(label: string, text: string): PerfPoint | undefined {
  const [first = "", warn = "", crit = "", min = "", max = ""] = text.split(";", 5);
  const value = readValue(first);
  return value && { label, ...value, warn: range(warn), crit: range(crit), min: bound(min), max: bound(max) };
}

function readValue(text: string): Pick<PerfPoint, "value" | "uom"> | undefined {
  if (text === "U") return { value: undefined, uom: "" };
  const [, digits = "", uom = ""] = numberWithUnit.exec(text) ?? [];
  const value = digits === "" ? Number.NaN : Number(digits);
  return Number.isFinite(value) && unit.test(uom) ? { value, uom } : undefined;
}

/** check_snmp turns `~:5` into `@5:~`, where nothing behind the colon is meant. */
function range(written: string): string {
  const text = written.replace(/:~$/, ":");
  return parseThreshold(text).ok ? text : "";
}

const bound = (text: string): number | undefined => {
  const found = readValue(text);
  return found?.uom === "" ? found.value : undefined;
};
