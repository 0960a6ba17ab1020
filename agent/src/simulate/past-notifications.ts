import type { PolicyPlan } from "@realmwatch/shared/config/plan";
import type { HistoryRecord } from "@realmwatch/shared/model/history";
import type { NotificationReason } from "@realmwatch/shared/model/notification";
import { refOf } from "@realmwatch/shared/model/object-key";
import { isProblem, type ProblemStatus } from "@realmwatch/shared/model/status";
import {
  type LastNotification,
  type NotificationState,
  newNotificationState,
  type OpenProblem,
} from "../engine/notify/notification-state.ts";
import { skippingReasons } from "../engine/notify/plan-problem.ts";
import { nextSlot } from "../realm/schedule/check-times.ts";

type ObjectNotifications = {
  notified: Record<string, LastNotification>;
  announced: ProblemStatus | undefined;
  /** True after a recovery that flapping suppressed. */
  recovered: boolean;
  level: number;
  sentAtLevel: number;
  number: number;
  sinceMs: number;
  lastAtMs: number | undefined;
  /** Time up to which renotifications were skipped, Unix ms; Infinity while they still are. */
  skippedUntilMs: number | undefined;
  isFlappingNotified: boolean;
};

const noNotifications = (atMs: number): ObjectNotifications => ({
  ...{ notified: {}, announced: undefined, recovered: false, level: 0, sentAtLevel: 0, number: 0, sinceMs: atMs },
  ...{ lastAtMs: undefined, skippedUntilMs: undefined, isFlappingNotified: false },
});

/** A recovery that is suppressed for one of these reasons is sent later; for all others it is final. */
const deferringReasons: ReadonlySet<NotificationReason> = new Set([
  "downtime",
  "dependency",
  "flapping",
  "policy_period",
]);

/** Notification states at a past time, from the history of notifications up to it, read in its order. */
export class PastNotifications {
  readonly #objects = new Map<string, ObjectNotifications>();

  take(record: HistoryRecord): void {
    if (record.key === undefined) return;
    const ref = refOf(record.key);
    if (record.type === "notification_queued") this.#takeSent(record, ref);
    else if (record.contact === undefined) this.#takeSuppressed(record, ref);
  }

  #of(ref: string, atMs: number): ObjectNotifications {
    return this.#objects.getOrInsertComputed(ref, () => noNotifications(atMs));
  }

  #takeSent(
    { atMs, notificationKind: kind, status, contact = "", level = 0, because }: HistoryRecord,
    ref: string,
  ): void {
    const known = this.#of(ref, atMs);
    if (kind === "RECOVERY") this.#objects.delete(ref);
    if (kind === "FLAPPING_START" || kind === "FLAPPING_STOP") known.isFlappingNotified = kind === "FLAPPING_START";
    if ((kind !== "PROBLEM" && kind !== "STATUS_CHANGE") || status === undefined || !isProblem(status)) return;
    known.notified[contact] = { status, level };
    // A fallback contact is due the recovery, but it does not count for the escalation.
    if (because?.name !== undefined && because.name !== "") return;
    Object.assign(known, { announced: status, recovered: false });
    known.skippedUntilMs = undefined;
    // There is one record per contact: records of the same time are one notification.
    if (known.lastAtMs === atMs) return;
    known.sentAtLevel = known.level === level ? known.sentAtLevel + 1 : 1;
    Object.assign(known, { level, lastAtMs: atMs, number: known.number + 1 });
  }

  #takeSuppressed({ atMs, notificationKind: kind, status, because }: HistoryRecord, ref: string): void {
    if (because === undefined) return;
    const { reason } = because;
    if (kind === "RECOVERY" && !deferringReasons.has(reason)) this.#objects.delete(ref);
    const known = this.#objects.get(ref);
    if (kind === "RECOVERY" && reason === "flapping" && known !== undefined) known.recovered = true;
    if (kind !== "PROBLEM" && kind !== "STATUS_CHANGE") return;
    if (known?.announced !== undefined) {
      if (kind === "PROBLEM" && skippingReasons.has(reason)) known.skippedUntilMs = Number.POSITIVE_INFINITY;
      else if (known.skippedUntilMs === Number.POSITIVE_INFINITY) known.skippedUntilMs = atMs - 1;
    }
    const isOff = reason === "program_off" || reason === "object_off";
    const isDropped =
      reason === "kind_disabled" || reason === "status_not_selected" || (kind === "STATUS_CHANGE" && isOff);
    // A notification that is dropped counts as announced.
    if (isDropped && status !== undefined && isProblem(status)) this.#of(ref, atMs).announced = status;
  }

  /** Undefined when history has no notification of an open problem. `policy`: the one in force at `atMs`. */
  of(ref: string, at: { policy: PolicyPlan | undefined; atMs: number }): NotificationState | undefined {
    const known = this.#objects.get(ref);
    if (known === undefined) return undefined;
    const { announced, number, sinceMs, lastAtMs, isFlappingNotified } = known;
    const state = newNotificationState(sinceMs);
    return {
      ...state,
      counters: { sinceMs, problems: 1, notifications: number },
      problem: announced === undefined ? state.problem : openProblem(known, announced, at),
      lastAtMs,
      flapping: { kind: isFlappingNotified ? "notified" : "none", suppressed: undefined },
    };
  }
}

function openProblem(
  { notified, recovered, level, sentAtLevel, number, sinceMs, lastAtMs, skippedUntilMs }: ObjectNotifications,
  status: ProblemStatus,
  { policy, atMs }: { policy: PolicyPlan | undefined; atMs: number },
): OpenProblem {
  const { threshold = 0, renotifyIntervalMs = 0 } = policy?.levels[level] ?? {};
  const advances = threshold > 0 && sentAtLevel >= threshold && level + 1 < (policy?.levels.length ?? 0);
  const nextAtMs =
    lastAtMs === undefined || renotifyIntervalMs === 0
      ? undefined
      : nextSlot(lastAtMs, renotifyIntervalMs, Math.min(skippedUntilMs ?? lastAtMs, atMs));
  const progress = advances ? { level: level + 1, sentAtLevel: 0 } : { level, sentAtLevel };
  return {
    ...{ kind: "open", sinceMs, notified, hostCheckAwaitedSinceMs: undefined },
    announcement: { status, ...(recovered && { recovered }), ...progress, number, nextAtMs, deferred: [] },
  };
}
