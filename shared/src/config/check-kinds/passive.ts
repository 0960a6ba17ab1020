import { nonZeroDuration } from "../parser/numbers.ts";
import { picklist } from "../parser/scalars.ts";
import { required, withDefault } from "../parser/structs.ts";
import { checkKind } from "./check-kind.ts";

export type PassiveSpec = {
  readonly type: "passive";
  readonly freshnessThresholdMs: number;
  readonly staleStatus: "unknown" | "warning" | "critical";
};

const staleStatuses = { UNKNOWN: "unknown", WARNING: "warning", CRITICAL: "critical" } as const;

export const passiveCheckKind = checkKind({
  summary: "Runs no check: results are submitted over the API. Missing results are a problem.",
  uses: "none",
  fields: {
    freshness_threshold: required(nonZeroDuration, {
      help: "Time without a result after which the object is stale.",
      example: "26h",
    }),
    stale_status: withDefault(picklist(["UNKNOWN", "WARNING", "CRITICAL"]), "UNKNOWN", {
      help: "Status of a stale object.",
      example: "CRITICAL",
    }),
  },
  compile: ({ freshness_threshold: freshnessThresholdMs, stale_status }): PassiveSpec => ({
    type: "passive",
    freshnessThresholdMs,
    staleStatus: staleStatuses[stale_status],
  }),
  target: () => "",
});
