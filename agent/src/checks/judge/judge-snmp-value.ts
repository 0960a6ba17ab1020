import type { SnmpSpec } from "@realmwatch/shared/config/check-kinds/snmp";
import { type Outcome, outcome } from "@realmwatch/shared/model/outcome";
import type { PerfPoint } from "@realmwatch/shared/model/perfdata";
import { isAlerting, parseThreshold } from "@realmwatch/shared/text/plugin/threshold";
import type { SnmpMeasurement } from "./snmp-measurement.ts";

/** Maximum characters of the first line; the whole text is in the long output then. */
const maxLine = 1_024;

/** Judges a value: `crit` applies before `warn`; without ranges and `expect` any value is ok. */
export function judgeSnmpMeasurement(spec: SnmpSpec, reading: SnmpMeasurement): Outcome {
  const { warn, crit, expect } = spec;
  const [line, longOutput] = describe(spec, reading);
  const perfdata = pointOf(spec, reading);
  const found = (status: Outcome["status"], more = ""): Outcome => outcome(status, line + more, perfdata, longOutput);

  if (expect !== "")
    return reading.text === expect ? found("ok") : found("critical", ` instead of ${JSON.stringify(expect)}`);
  if (warn === "" && crit === "") return found("ok");
  const { number } = reading;
  if (number === undefined) return found("unknown", " is not a number, which a range requires");
  if (crit !== "" && alertsBy(crit, number)) return found("critical", describeRange(crit));
  if (warn !== "" && alertsBy(warn, number)) return found("warning", describeRange(warn));
  return found("ok");
}

const describeRange = (range: string): string => {
  const bare = range.trim();
  return bare.startsWith("@") ? ` is inside ${bare.slice(1)}` : ` is outside ${bare}`;
};

/** First line, and the whole text when it does not fit into a line. */
function describe(spec: SnmpSpec, { text, remark, number, isCounter }: SnmpMeasurement): [line: string, long: string] {
  const name = spec.label || spec.oid;
  if (number !== undefined) {
    const unit = spec.uom === "" || isCounter ? "" : ` ${spec.uom}`;
    return [`${name}: ${text.trim()}${unit}${remark === "" ? "" : ` (${remark})`}`, ""];
  }
  const [first = ""] = text.trim().split(/\r?\n|\r/, 1);
  const line = first.length > maxLine ? `${first.slice(0, maxLine).toWellFormed()}…` : first;
  return [`${name}: ${line === "" ? "empty" : line}`, line === text.trim() ? "" : text.trim()];
}

/** Performance data. Its value has 53 bits of precision, while texts and ranges are exact. */
function pointOf({ label, oid, uom, warn, crit }: SnmpSpec, { number, isCounter }: SnmpMeasurement): PerfPoint[] {
  if (number === undefined) return [];
  const unit = isCounter ? "c" : uom;
  const named = { label: label || oid, value: Number(number), uom: unit };
  return [{ ...named, warn: warn.trim(), crit: crit.trim(), min: undefined, max: undefined }];
}

function alertsBy(range: string, value: bigint | number): boolean {
  const threshold = parseThreshold(range);
  return threshold.ok && isAlerting(threshold.value, value); // Always ok: compilation refuses invalid ranges.
}
