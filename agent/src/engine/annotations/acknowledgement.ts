import type { Acknowledgement } from "@realmwatch/shared/model/annotation";
import type { Status } from "@realmwatch/shared/model/status";
import { isProblem } from "@realmwatch/shared/model/status";

/** [AC2-AC3] True when an acknowledgement survives a change of status: a sticky one does until recovery. */
export function survivesStatusChange(acknowledgement: Acknowledgement, before: Status, after: Status): boolean {
  if (!isProblem(after)) return false;
  return acknowledgement.sticky || before === after;
}

/** [AC4] True from the time at which the acknowledgement expires; false for one without an expiry. */
export const isAcknowledgementExpired = (acknowledgement: Acknowledgement, nowMs: number): boolean =>
  acknowledgement.expiresAtMs !== undefined && acknowledgement.expiresAtMs <= nowMs;
