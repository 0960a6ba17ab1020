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
  summary: "Runs nothing: results are submitted over the API. Silence is a problem of its own.",
  fields: {
    freshness_threshold: required(nonZeroDuration, { help: "Longer silence is stale.", example: "26h" }),
    stale_status: withDefault(picklist(["UNKNOWN", "WARNING", "CRITICAL"]), "UNKNOWN", {
      help: "The status of a stale object.",
      example: "CRITICAL",
    }),
  },
  compile: ({ freshness_threshold: freshnessThresholdMs, stale_status }): PassiveSpec => ({
    type: "passive",
    freshnessThresholdMs,
    staleStatus: staleStatuses[stale_status],
  }),
});
