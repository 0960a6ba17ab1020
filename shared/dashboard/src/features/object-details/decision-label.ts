import type { Because } from "@realmwatch/proto/svc/v1/common_pb";
import { optionalMs, type StatusItem } from "../../api/status/status-item.ts";

/** Reasons for which the end of a problem waits; after the others it is never notified. */
const waitingReasons: ReadonlySet<string> = new Set([
  "dependency",
  "flapping",
  "downtime",
  "policy_period",
  "contact_period",
]);

type Decided = Pick<StatusItem, "problem" | "soft"> & {
  readonly row: Pick<StatusItem["row"], "acknowledgement" | "inDowntime" | "notificationsEnabled" | "flapping">;
};

/**
 * Label before the reason of an object's last decision on a notification. A reason that is over, by the object's present
 * state, is labelled as one of the past. Undefined when nothing was suppressed, or when a notification that waited was
 * needed no more at the end of the reason.
 */
export function decisionLabel(
  because: Pick<Because, "reason" | "until">,
  { problem, soft, row }: Decided,
  nowMs: number,
): string | undefined {
  const { reason } = because;
  if (reason === "decided") return undefined;
  const present = isPresent(because, { problem, soft, row }, nowMs);
  if (!problem) return !present && waitingReasons.has(reason) ? undefined : "About the end of the last problem: ";
  if (reason === "kind_disabled") return "Suppressed when it was due: ";
  return present ? "Suppressed: " : "Was suppressed: ";
}

/** False when the object's present state shows that the reason is over. */
function isPresent({ reason, until }: Pick<Because, "reason" | "until">, object: Decided, nowMs: number): boolean {
  const { problem, soft, row } = object;
  switch (reason) {
    case "acknowledged":
      return row.acknowledgement !== undefined;
    case "downtime":
      return row.inDowntime === true;
    case "object_off":
      return row.notificationsEnabled === false;
    case "soft":
      return soft;
    // A problem waits for the next result after flapping has ended; an object that is well does not.
    case "flapping":
      return row.flapping === true || problem;
    case "policy_period":
    case "level_period":
    case "contact_period":
    case "host_check_awaited": {
      const untilMs = optionalMs(until);
      return untilMs === undefined || untilMs > nowMs;
    }
    default:
      return true;
  }
}
