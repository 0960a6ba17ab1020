import { never } from "@realmwatch/shared/model/never";
import type { ProgramToggles } from "@realmwatch/shared/model/toggles";
import { addAcknowledgement, addComment, deleteComment, deleteAcknowledgement } from "./annotations/apply-annotation.ts";
import { setToggle } from "./toggles/set-toggle.ts";
import { deleteDowntime, applyDowntimeTrigger, scheduleDowntime } from "./downtimes/apply-downtime.ts";
import { andThen } from "./transition.ts";
import { type Transition, unchanged } from "./transition.ts";
import { updateFlapping } from "./flapping/update-flapping.ts";
import { runsEventHandlers } from "./state/event-handlers.ts";
import type { ObjectInput } from "./input.ts";
import { applyConfiguredToggles } from "./toggles/apply-configured-toggles.ts";
import { nextDueMs, applyElapsedTime } from "./state/apply-elapsed-time.ts";
import type { PlannedNotification } from "./notify/planned-notification.ts";
import { expectedPassiveCheck, shiftFreshness } from "./state/freshness.ts";
import type { ObjectState } from "./state/object-state.ts";
import type { StepContext } from "./step-context.ts";
import { acceptResult } from "./state/accept-result.ts";
import { planNotifications } from "./notify/plan-notifications.ts";
import { shiftTimers } from "./notify/notification-state.ts";

/** What became of one input. */
export type StepOutcome = Transition & {
  /** Who is to be told what. */
  readonly notifications: readonly PlannedNotification[];
  /** Whether event handlers run for what happened. */
  readonly handlerDue: boolean;
  /** When time alone could change the state or let a message out, wall clock; Infinity for never. */
  readonly dueMs: number;
};

/** [NO22] */
const followJump = (context: StepContext, state: ObjectState, byMs: number): ObjectState => {
  const { telling, ...rest } = shiftFreshness(context, state, byMs);
  return { ...rest, telling: telling && shiftTimers(telling, byMs) };
};

/** [FR5] The whole realm's switch means for an object what its own does. */
function followProgram(context: StepContext, state: ObjectState, toggle: keyof ProgramToggles): ObjectState {
  const expectedAgain = toggle === "passiveChecks" && expectedPassiveCheck(context, state) !== undefined;
  return expectedAgain ? { ...state, freshFromMs: context.nowMs } : state;
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
      return unchanged(followProgram(context, state, input.toggle));
    case "clock_jump":
      return unchanged(followJump(context, state, input.byMs));
    case "due":
      return applyElapsedTime(context, state);
    default:
      return never(input);
  }
}

/** One input, one object: the engine. Reads no clock, waits for nothing, touches no other object. */
export function step(context: StepContext, before: ObjectState, input: ObjectInput): StepOutcome {
  const obeyed = applyConfiguredToggles(context, before);
  const stepped =
    obeyed === undefined ? apply(context, before, input) : andThen(obeyed, (next) => apply(context, next, input));
  const applied = updateFlapping(context, before.flap, stepped);
  const taken = applied.dropped === undefined;
  const told = planNotifications(context, { before, after: applied.state, input, taken });
  return {
    state: told.state,
    history: told.history.length === 0 ? applied.history : [...applied.history, ...told.history],
    followUps: told.followUps.length === 0 ? applied.followUps : [...applied.followUps, ...told.followUps],
    dropped: applied.dropped,
    notifications: told.notifications,
    handlerDue: input.kind === "result" && taken && runsEventHandlers(context.plan, before.phase, told.state.phase),
    dueMs: Math.min(nextDueMs(context, told.state), told.wakeAtMs),
  };
}
