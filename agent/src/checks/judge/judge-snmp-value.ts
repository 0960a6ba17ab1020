import type { SnmpSpec } from "@realmwatch/shared/config/check-spec";
import { type Outcome, outcome } from "@realmwatch/shared/model/outcome";
import type { PerfPoint } from "@realmwatch/shared/model/perfdata";
import { alerts, parseThreshold } from "@realmwatch/shared/text/threshold";
import type { SnmpMeasurement } from "./snmp-measurement.ts";

/** Longest first line; the whole text is below it. */
const maxLine = 1_024;

/** Critical is asked before warning; without ranges and without `expect` any value is ok. */
export function judgeSnmpMeasurement(spec: SnmpSpec, reading: SnmpMeasurement): Outcome {
  const { warn, crit, expect } = spec;
  const [line, longOutput] = describe(spec, reading);
  const perfdata = pointOf(spec, reading);
  const found = (status: Outcome["status"], more = ""): Outcome => outcome(status, line + more, perfdata, longOutput);

  if (expect !== "")
    return reading.text === expect ? found("ok") : found("critical", ` instead of ${JSON.stringify(expect)}`);
  if (warn === "" && crit === "") return found("ok");
  const { number } = reading;
  if (number === undefined) return found("unknown", " is no number, which a range asks for");
  if (crit !== "" && alertsBy(crit, number)) return found("critical", sayRange(crit));
  if (warn !== "" && alertsBy(warn, number)) return found("warning", sayRange(warn));
  return found("ok");
}

const sayRange = (range: string): string => {
  const bare = range.trim();
  return bare.startsWith("@") ? ` is inside ${bare.slice(1)}` : ` is outside ${bare}`;
};

/** The first line, and the whole text where a line cannot hold it. */
function describe(spec: SnmpSpec, { text, remark, number, isCounter }: SnmpMeasurement): [line: string, long: string] {
  const name = spec.label || spec.oid;
  if (number !== undefined) {
    const unit = spec.uom === "" || isCounter ? "" : ` ${spec.uom}`;
    return [`${name}: ${text.trim()}${unit}${remark === "" ? "" : ` (${remark})`}`, ""];
  }
  const [first = ""] = text.trim().split(/\r?\n|\r/, 1);
  const line = first.length > maxLine ? `${first.slice(0, maxLine).toWellFormed()}…` : first;
  const shown = line === "" ? "empty" : line;
  return [`${name}: ${shown}`, line === text.trim() ? "" : text.trim()];
}

/** A chart's number has 53 bits; the text and the ranges are exact beyond them. */
function pointOf({ label, oid, uom, warn, crit }: SnmpSpec, { number, isCounter }: SnmpMeasurement): PerfPoint[] {
  if (number === undefined) return [];
  const unit = isCounter ? "c" : uom;
  const named = { label: label || oid, value: Number(number), uom: unit };
  return [{ ...named, warn: warn.trim(), crit: crit.trim(), min: undefined, max: undefined }];
}

function alertsBy(range: string, value: bigint | number): boolean {
  const threshold = parseThreshold(range);
  return threshold.ok && alerts(threshold.value, value); // Compiling has refused what is no range.
}
