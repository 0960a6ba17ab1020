import { formatDuration } from "@realmwatch/shared/text/duration";

/** Output of a check that timed out. */
export const timeoutOutput = (type: string, timeoutMs: number): string =>
  `${type} check timed out after ${formatDuration(timeoutMs)}`;
