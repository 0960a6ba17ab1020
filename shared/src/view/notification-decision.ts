import { timestampMs } from "@bufbuild/protobuf/wkt";
import { type Because, NotificationKind } from "@realmwatch/proto/svc/v1/common_pb";
import type { NotificationDelivery, NotificationProgress, StatusRow } from "@realmwatch/proto/svc/v1/query_pb";
import { hasProblem, isSoftState } from "./row-status.ts";

type DecidedRow = Pick<
  StatusRow,
  "status" | "stateType" | "acknowledgement" | "inDowntime" | "notificationsEnabled" | "flapping"
>;

/** Present state that an earlier decision is compared with. */
export type DecisionContext = {
  readonly row: DecidedRow;
  /** Switch for the notifications of the whole realm; undefined when it is not known. */
  readonly realmNotifications: boolean | undefined;
  /** Unix ms. */
  readonly nowMs: number;
};

type Decision = Pick<Because, "reason" | "until">;

/** Reasons for which the end of a problem waits; after the others it is never notified. */
const waitingReasons: ReadonlySet<string> = new Set([
  "dependency",
  "flapping",
  "downtime",
  "policy_period",
  "contact_period",
]);

/** True for a reason at whose end the end of a problem is notified. */
export const isWaitingReason = (reason: string): boolean => waitingReasons.has(reason);

/**
 * How the last decision on a notification relates to the present state. `present`: its reason suppresses notifications.
 * `past`: its reason is over. `when_due`: it was about that notification only. `end`: it was about the end of the last
 * problem. Undefined when no notification was suppressed, or when one that waited was needed no more.
 */
export type DecisionPhase = "present" | "past" | "when_due" | "end" | undefined;

/** Compares the last decision on a notification with the present state. */
export function decisionPhase(decision: Decision | undefined, present: DecisionContext): DecisionPhase {
  if (decision === undefined || decision.reason === "decided") return undefined;
  const applies = stillApplies(decision, present);
  if (!hasProblem(present.row)) return !applies && isWaitingReason(decision.reason) ? undefined : "end";
  if (decision.reason === "kind_disabled" || decision.reason === "status_not_selected") return "when_due";
  return applies ? "present" : "past";
}

/** False when the present state shows that the reason is over. */
function stillApplies({ reason, until }: Decision, { row, realmNotifications, nowMs }: DecisionContext): boolean {
  switch (reason) {
    case "acknowledged":
      return row.acknowledgement !== undefined;
    case "downtime":
      return row.inDowntime === true;
    case "object_off":
      return row.notificationsEnabled === false;
    case "program_off":
      return realmNotifications !== true;
    case "soft":
      return isSoftState(row.stateType);
    // A problem waits for the next result after flapping has ended; an object that is well does not.
    case "flapping":
      return row.flapping === true || hasProblem(row);
    case "policy_period":
    case "level_period":
    case "contact_period":
    case "host_check_awaited":
      return until === undefined || timestampMs(until) > nowMs;
    default:
      return true;
  }
}

type Progress = Pick<NotificationProgress, "level" | "sentAtLevel">;

/** True when a notification of the present problem was decided. Levels advance by notifications only. */
export const hasDecided = ({ level, sentAtLevel }: Progress): boolean => level > 0 || sentAtLevel > 0;

/**
 * True when a delivery of an object with a problem is about an earlier problem: a row has its latest deliveries, and a
 * problem that no contact was notified of must not look like one that was.
 */
export function isOfEarlierProblem({ kind }: Pick<NotificationDelivery, "kind">, progress: Progress): boolean {
  if (kind === NotificationKind.RECOVERY) return true;
  const ofProblem = kind === NotificationKind.PROBLEM || kind === NotificationKind.STATUS_CHANGE;
  return ofProblem && !hasDecided(progress);
}
