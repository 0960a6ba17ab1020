import { never } from "@realmwatch/shared/model/never";
import type { ProgramToggles } from "@realmwatch/shared/model/toggles";
import {
  addAcknowledgement,
  addComment,
  deleteAcknowledgement,
  deleteComment,
} from "./annotations/apply-annotation.ts";
import { applyDowntimeTrigger, deleteDowntime, scheduleDowntime } from "./downtimes/apply-downtime.ts";
import { updateFlapping } from "./flapping/flap-detection.ts";
import type { ObjectInput } from "./input.ts";
import type { PlannedNotification } from "./notify/notification-planner.ts";
import { shiftTimers } from "./notify/notification-state.ts";
import { planNotifications } from "./notify/plan-notifications.ts";
import { acceptResult } from "./state/accept-result.ts";
import { applyElapsedTime, nextDueMs } from "./state/apply-elapsed-time.ts";
import { runsEventHandlers } from "./state/event-handlers.ts";
import { expectedPassiveCheck, shiftFreshness } from "./state/freshness.ts";
import type { ObjectState } from "./state/object-state.ts";
import { applyConfiguredToggles, setToggle } from "./toggles/set-toggle.ts";
import { andThen, type StepContext, type Transition, unchanged } from "./transition.ts";

/** Result of one step. */
type StepOutcome = Transition & {
  readonly notifications: readonly PlannedNotification[];
  /** True when event handlers run for the result. */
  readonly handlerDue: boolean;
  /** Next time at which the input `due` may change the state or send a notification, Unix ms; may be Infinity. */
  readonly dueMs: number;
};

/** [NO22] Moves freshness and notification timers with a jump of the wall clock. */
const shiftForJump = (context: StepContext, state: ObjectState, byMs: number): ObjectState => {
  const { notificationState, ...rest } = shiftFreshness(context, state, byMs);
  return { ...rest, notificationState: notificationState && shiftTimers(notificationState, byMs) };
};

/** [FR5] The realm's passive check toggle, switched on, restarts the freshness threshold as the object's own does. */
function applyProgramToggle(context: StepContext, state: ObjectState, toggle: keyof ProgramToggles): ObjectState {
  const restarts = toggle === "passiveChecks" && expectedPassiveCheck(context, state) !== undefined;
  return restarts ? { ...state, freshFromMs: context.nowMs } : state;
}

function apply(context: StepContext, state: ObjectState, input: ObjectInput): Transition {
  const { plan, nowMs } = context;
  switch (input.kind) {
    case "result":
      return acceptResult(context, state, input.result);
    case "acknowledge":
      return addAcknowledgement(plan, state, input.acknowledgement);
    case "remove_acknowledgement":
      return deleteAcknowledgement(plan, state, input.by, nowMs);
    case "schedule_downtime":
      return scheduleDowntime(context, state, { downtime: input.downtime, trigger: input.trigger });
    case "delete_downtime":
      return deleteDowntime(plan, state, input.id, { by: input.by, nowMs });
    case "downtime_trigger":
      return applyDowntimeTrigger(context, state, input);
    case "add_comment":
      return addComment(plan, state, input.comment);
    case "delete_comment":
      return deleteComment(plan, state, input.id, { by: input.by, nowMs });
    case "set_toggle":
      return setToggle(plan, state, { ...input, nowMs });
    case "custom_notification":
    case "reevaluate_notifications":
      return unchanged(state);
    case "program_toggle":
      return unchanged(applyProgramToggle(context, state, input.toggle));
    case "clock_jump":
      return unchanged(shiftForJump(context, state, input.byMs));
    case "due":
      return applyElapsedTime(context, state);
    default:
      return never(input);
  }
}

/** Applies one input to one object. Pure: it reads no clock, waits for nothing and changes no other object. */
export function step(context: StepContext, before: ObjectState, input: ObjectInput): StepOutcome {
  const configured = applyConfiguredToggles(context, before);
  const stepped =
    configured === undefined
      ? apply(context, before, input)
      : andThen(configured, (next) => apply(context, next, input));
  const applied = updateFlapping(context, before.flap, stepped);
  const accepted = applied.dropped === undefined;
  const planned = planNotifications(context, { before, after: applied.state, input, accepted });
  return {
    state: planned.state,
    history: planned.history.length === 0 ? applied.history : [...applied.history, ...planned.history],
    followUps: planned.followUps.length === 0 ? applied.followUps : [...applied.followUps, ...planned.followUps],
    dropped: applied.dropped,
    notifications: planned.notifications,
    handlerDue:
      input.kind === "result" && accepted && runsEventHandlers(context.plan, before.phase, planned.state.phase),
    dueMs: Math.min(nextDueMs(context, planned.state), planned.wakeAtMs),
  };
}
