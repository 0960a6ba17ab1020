import type { PerfPoint } from "../../model/perfdata.ts";
import { replaceUnprintable } from "../unprintable.ts";
import { parseThreshold } from "./threshold.ts";

/** Next item: a quoted or bare label, `=`, and text up to a blank. `|` counts as a blank. */
const item = /[\s|]*(?:'((?:[^']|'')*)'|([^\s='|][^\s=|]*))=([^\s|]*)/y;
const badItem = /[\s|]*[^\s|]*/y;

const numberWithUnit = /^([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)(.*)$/;
/** Valid unit. Digits, a comma or a second decimal point show that the number is invalid. */
const unit = /^(?:[\p{L}%°\p{Sc}][^\s0-9,;=:'"|]*)?$/u;

/**
 * Parses performance data: `'label'=value[unit];[warn];[crit];[min];[max]`, separated by blanks. An invalid item is
 * skipped and an invalid bound is left empty, without effect on other items. Takes time linear in `text`.
 *
 * The part of a label before its last `::` (check_multi) becomes the prefix of the following labels without `::`.
 *
 * @param maxPoints number of points after which the rest of the text is not read
 */
export function parsePerfdata(text: string, maxPoints = Number.POSITIVE_INFINITY): PerfPoint[] {
  const points: PerfPoint[] = [];
  let prefix = "";
  for (let at = 0; at < text.length && points.length < maxPoints; ) {
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
  // A name that is shown and sent to other systems must not control or disguise anything there.
  return (
    value && {
      label: replaceUnprintable(label, "\ufffd"),
      ...value,
      warn: range(warn),
      crit: range(crit),
      min: bound(min),
      max: bound(max),
    }
  );
}

function readValue(text: string): Pick<PerfPoint, "value" | "uom"> | undefined {
  if (text === "U") return { value: undefined, uom: "" };
  const [, digits = "", uom = ""] = numberWithUnit.exec(text) ?? [];
  const value = digits === "" ? Number.NaN : Number(digits);
  return Number.isFinite(value) && unit.test(uom) ? { value, uom } : undefined;
}

/** Validates a range. check_snmp writes `@5:~` for `~:5`: the `~` after the colon is removed. */
function range(written: string): string {
  const text = written.replace(/:~$/, ":");
  return parseThreshold(text).ok ? text : "";
}

const bound = (text: string): number | undefined => {
  const found = readValue(text);
  return found?.uom === "" ? found.value : undefined;
};
