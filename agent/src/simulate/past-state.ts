import type { ObjectPlan } from "@realmwatch/shared/config/plan";
import { isProblem } from "@realmwatch/shared/model/status";
import type { ObjectPast } from "@realmwatch/shared/read-model/past/past-records";
import { type PastInstant, pastRow } from "@realmwatch/shared/read-model/past/past-row";
import type { Row } from "@realmwatch/shared/row/row";
import { type NotificationState, openProblemOf } from "../engine/notify/notification-state.ts";
import { buildRow, noInheritedSuppression } from "../engine/state/object-row.ts";
import { newState, type ObjectState, type Phase } from "../engine/state/object-state.ts";
import { ownHostStatus } from "../engine/state/reachability.ts";

function phaseOf({ status, stateType, attempt }: Row): Phase {
  if (!isProblem(status)) return { kind: status === "ok" ? "ok" : "pending" };
  return stateType === "soft" ? { kind: "soft", status, attempt } : { kind: "hard", status };
}

type PastStateInput = PastInstant & {
  readonly plan: ObjectPlan;
  readonly now: ObjectState;
  readonly past: ObjectPast | undefined;
  /** Notification state at the time, from history; undefined when history has none. */
  readonly notificationState: NotificationState | undefined;
  /** Time of the oldest history record, Unix ms. */
  readonly historyFromMs: number;
};

/**
 * Restores the state of an object at a past time, as far as it matters for notifications, from the past row that the
 * API returns. The object counts as checked at that time, with the status that it had.
 */
export function pastState({ plan, now, past, notificationState, historyFromMs, ...then }: PastStateInput): ObjectState {
  const { atMs } = then;
  const row = pastRow(buildRow(plan, now, { inherited: noInheritedSuppression, epoch: 0, revision: 0 }), past, then);
  const { status, output, acknowledgement, downtimes, toggles, flapping } = row;
  const rawStatus = plan.key.kind === "host" ? ownHostStatus(status) : status;
  const measured = { longOutput: "", perfdata: [], latencyMs: undefined, source: "" };
  // The duration of past checks is not recorded: that of the last check stands for it.
  const last = {
    ...measured,
    output,
    executedAtMs: atMs,
    realAtMs: atMs,
    executionMs: now.last?.executionMs,
    rawStatus,
  };
  return {
    ...newState(atMs),
    ...{ phase: phaseOf(row), acknowledgement, downtimes, toggles },
    lastHardStatus: row.lastHardStatus,
    lastChangeAtMs: row.lastChangeAtMs,
    lastHardChangeAtMs: row.lastHardChangeAtMs,
    last: status === "pending" ? undefined : last,
    failingSinceMs: isProblem(status) ? (row.lastChangeAtMs ?? atMs) : undefined,
    flap: { value: flapping ? 1 : 0, flapping },
    notificationState: notificationState ?? openedBefore(now.notificationState, historyFromMs),
  };
}

/**
 * The present notification state if its problem began before history does, so that records of its notifications may be
 * missing. Of a younger problem history has every notification: without one, contacts were not notified yet.
 */
function openedBefore(state: NotificationState | undefined, historyFromMs: number): NotificationState | undefined {
  const problem = state && openProblemOf(state);
  return problem === undefined || problem.sinceMs >= historyFromMs ? undefined : state;
}
