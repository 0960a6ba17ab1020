import { showDuration } from "@realmwatch/shared/text/duration";

/** The output of a check whose time is up. */
export const timeoutOutput = (type: string, timeoutMs: number): string =>
  `${type} check timed out after ${showDuration(timeoutMs)}`;
