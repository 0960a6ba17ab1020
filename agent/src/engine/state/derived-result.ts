import type { CheckResult } from "../input.ts";

/** Makes a result that follows from known state, without a check and without measured values. */
export const derivedResult = (
  result: Pick<CheckResult, "status" | "output" | "origin">,
  executedAtMs: number,
): CheckResult => ({
  ...result,
  longOutput: "",
  perfdata: [],
  executedAtMs,
  latencyMs: undefined,
  executionMs: undefined,
  source: "",
});
