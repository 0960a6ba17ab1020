import type { PerfPoint } from "./perfdata.ts";
import type { CheckStatus } from "./status.ts";

/** What one run of a check found. A sick target is an outcome, never an exception. */
export type Outcome = {
  readonly status: CheckStatus;
  /** First line. */
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
