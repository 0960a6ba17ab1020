import { noAuthor } from "@realmwatch/shared/model/author";
import type { NotificationReason } from "@realmwatch/shared/model/notification";
import { isFlapDetectionOn } from "../flapping/flap-detection.ts";
import { applyFilters } from "./filters.ts";
import type { NotificationPlanner } from "./notification-planner.ts";
import { type FlappingNotification, notificationDecision } from "./notification-state.ts";
import { planEvent } from "./plan-event.ts";

/** For these reasons a flapping notification stays due: it is sent later if it still holds. Others drop it. */
const deferringReasons: ReadonlySet<NotificationReason> = new Set([
  "downtime",
  "dependency",
  "policy_period",
  "level_period",
]);

/**
 * [NO16] Plans the notifications that flapping started and stopped. A stop is sent only if its start was. [NO24] A start
 * whose kind is disabled counts as sent.
 */
export function planFlapping(planner: NotificationPlanner): void {
  const { flap, toggles } = planner.state;
  const { plan, objectContext } = planner.context;
  const last = planner.notificationState.flapping.kind;
  if (!isFlapDetectionOn(plan, { toggles }, objectContext)) return setFlapping(planner, "none");
  if (flap.flapping === (last !== "none")) return forgetSuppressed(planner);
  if (!flap.flapping && last === "dropped") return dropStop(planner);
  const kind = flap.flapping ? "FLAPPING_START" : "FLAPPING_STOP";
  const decision = applyFilters(planner.due(kind));
  if (decision !== undefined && deferringReasons.has(decision.reason)) return planner.suppressFlapping(kind, decision);
  const dropped = planEvent(planner, { kind, by: noAuthor, comment: "" });
  if (flap.flapping)
    setFlapping(planner, dropped === undefined || dropped === "kind_disabled" ? "notified" : "dropped");
  else setFlapping(planner, "none");
}

function setFlapping(planner: NotificationPlanner, kind: FlappingNotification["kind"]): void {
  const before = planner.notificationState.flapping;
  if (before.kind === kind && (before.kind === "dropped" || before.suppressed === undefined)) return;
  planner.change({ flapping: kind === "dropped" ? { kind } : { kind, suppressed: undefined } });
}

/** Forgets a suppressed start or stop that is undone: the contacts' last notification is true again. */
function forgetSuppressed(planner: NotificationPlanner): void {
  const { flapping } = planner.notificationState;
  if (flapping.kind === "dropped" || flapping.suppressed === undefined) return;
  if (flapping.kind === "none") dropStop(planner);
  else setFlapping(planner, flapping.kind);
}

/** Records that flapping stopped without a notification of its start. */
function dropStop(planner: NotificationPlanner): void {
  if (planner.due("FLAPPING_STOP").policy !== undefined)
    planner.drop("FLAPPING_STOP", notificationDecision("problem_not_notified"), { by: noAuthor, comment: "" });
  setFlapping(planner, "none");
}
