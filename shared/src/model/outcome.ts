import type { PerfPoint } from "./perfdata.ts";
import type { CheckStatus } from "./status.ts";

/** Outcome of one check. A failing target gives an outcome, never an exception. */
export type Outcome = {
  readonly status: CheckStatus;
  /** First line of the output. */
  readonly output: string;
  readonly longOutput: string;
  readonly perfdata: readonly PerfPoint[];
};

export const outcome = (
  status: CheckStatus,
  output: string,
  perfdata: readonly PerfPoint[] = [],
  longOutput = "",
): Outcome => ({ status, output, longOutput, perfdata });
