import type { CheckResult } from "../input.ts";

/** A result that follows from what is known: nothing was run, nobody sent it and nothing was measured. */
export const derivedResult = (
  said: Pick<CheckResult, "status" | "output" | "origin">,
  executedAtMs: number,
): CheckResult => ({
  ...said,
  longOutput: "",
  perfdata: [],
  executedAtMs,
  latencyMs: undefined,
  executionMs: undefined,
  source: "",
});
