import type { ObjectPlan } from "@realmwatch/shared/config/plan";
import type { Row } from "@realmwatch/shared/model/row";
import { isProblem } from "@realmwatch/shared/model/status";
import type { ObjectPast } from "@realmwatch/shared/read-model/past/past-records";
import { type PastInstant, pastRow } from "@realmwatch/shared/read-model/past/past-row";
import type { NotificationState } from "../engine/notify/notification-state.ts";
import type { Phase } from "../engine/state/attempts.ts";
import { buildRow, noInheritedSuppression } from "../engine/state/object-row.ts";
import { newState, type ObjectState } from "../engine/state/object-state.ts";
import { ownHostStatus } from "../engine/state/reachability.ts";

function phaseOf({ status, stateType, attempt }: Row): Phase {
  if (!isProblem(status)) return { kind: status === "ok" ? "ok" : "pending" };
  return stateType === "soft" ? { kind: "soft", status, attempt } : { kind: "hard", status };
}

export type PastStateInput = PastInstant & {
  readonly plan: ObjectPlan;
  readonly now: ObjectState;
  readonly past: ObjectPast | undefined;
  /** What people knew at the instant. */
  readonly telling: NotificationState | undefined;
};

/**
 * The state of an object at an instant, as far as it matters for who is told what: a row as readers of the past see
 * it, turned back. The object counts as looked at right then, with what it was known to be.
 */
export function pastState({ plan, now, past, telling, ...then }: PastStateInput): ObjectState {
  const { atMs } = then;
  const row = pastRow(buildRow(plan, now, { covering: noInheritedSuppression, epoch: 0, revision: 0 }), past, then);
  const { status, output, acknowledgement, downtimes, toggles, flapping } = row;
  const rawStatus = plan.key.kind === "host" ? ownHostStatus(status) : status;
  const measured = { longOutput: "", perfdata: [], latencyMs: undefined, source: "" };
  // How long a check takes now is what it took then, as far as anybody knows.
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
    telling: telling ?? olderTelling(now.telling, atMs),
  };
}

/** Of a problem that is still open: what the records no longer reach back to is known from what is kept of it. */
function olderTelling(kept: NotificationState | undefined, atMs: number): NotificationState | undefined {
  if (kept?.problemSinceMs === undefined || kept.problemSinceMs > atMs) return undefined;
  return kept;
}
