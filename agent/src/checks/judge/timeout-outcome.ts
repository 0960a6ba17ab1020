import { type Outcome, outcome } from "@realmwatch/shared/model/outcome";
import { formatDuration } from "@realmwatch/shared/text/duration";

/** Outcome of a check that timed out. */
export const timeoutOutcome = (
  status: "critical" | "unknown",
  type: string,
  timeoutMs: number,
): Outcome & { readonly timedOut: true } => ({
  ...outcome(status, `${type} check timed out after ${formatDuration(timeoutMs)}`),
  timedOut: true,
});
