import type { HistoryEntry } from "./history.ts";
import type { NotificationDecision } from "./notification.ts";

/** Present names of reasons that earlier versions wrote under other names. */
const renamedReasons: Readonly<Record<string, string>> = { sent: "decided", nobody_told: "problem_not_notified" };

/** Present name of a reason, which may have been written by an earlier version. */
export const currentReason = (reason: string): string => renamedReasons[reason] ?? reason;

/** A stored decision with the present name of its reason. */
export function currentDecision(decision: NotificationDecision): NotificationDecision {
  const reason = currentReason(decision.reason) as NotificationDecision["reason"];
  return reason === decision.reason ? decision : { ...decision, reason };
}

/**
 * A stored history entry as this version writes it. Earlier versions wrote `notification` at the decision, with the
 * reason `sent`; that is `notification_queued` now.
 */
export function currentHistoryEntry<T extends HistoryEntry>(entry: T): T {
  const { because } = entry;
  if (because === undefined) return entry;
  const decision = currentDecision(because);
  if (decision === because) return entry;
  const isDecision = entry.type === "notification" && decision.reason === "decided";
  return { ...entry, because: decision, ...(isDecision ? { type: "notification_queued" } : {}) };
}
