import type { QueryPanelRequest } from "@realmwatch/proto/svc/v1/query_pb";
import { malformed, type Refusal } from "../../model/refusal.ts";
import { ok, type Result } from "../../model/result.ts";
import { durationFromProto } from "../../wire/fields/time.ts";
import { parseAvailabilityRange } from "./parse-availability.ts";

/** Most points of one series in an answer. */
const maxPointsPerSeries = 11_000;
/** Length of a range without `from`, ms, and number of steps and shortest step of a query without `step`. */
const defaults = { rangeMs: 3_600_000, steps: 240, leastStepMs: 15_000 } as const;

/**
 * Parses range and step of a query for series. `malformed`: `from` is not before `to`, `step` is not above 0, or the range
 * has more than `maxPointsPerSeries` steps.
 *
 * @param nowMs default of `to`; without `from` the range is the hour before `to`
 */
export function parseWindow(
  request: Pick<QueryPanelRequest, "from" | "to" | "step">,
  nowMs: number,
): Result<{ readonly fromMs: number; readonly toMs: number; readonly stepMs: number }, Refusal> {
  const range = parseAvailabilityRange(request, { nowMs, rangeMs: defaults.rangeMs });
  if (!range.ok) return range;
  const given = durationFromProto("step", request.step);
  if (!given.ok) return given;
  const lengthMs = range.value.toMs - range.value.fromMs;
  const stepMs = given.value ?? defaultStepMs(lengthMs);
  if (!(stepMs > 0)) return malformed("step", "is not above 0");
  if (lengthMs / stepMs > maxPointsPerSeries) return malformed("step", `gives more than ${maxPointsPerSeries} points`);
  return ok({ ...range.value, stepMs });
}

/** Step in whole seconds. */
const defaultStepMs = (lengthMs: number): number =>
  Math.max(defaults.leastStepMs, Math.ceil(lengthMs / defaults.steps / 1000) * 1000);
