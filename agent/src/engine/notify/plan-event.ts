import type { NotificationKind } from "@realmwatch/shared/model/notification";
import { noAuthor } from "../author.ts";
import { statusOf } from "../state/attempts.ts";
import { anyInEffect } from "../downtimes/downtimes.ts";
import { isFlapDetectionOn } from "../flapping/flap-detection.ts";
import type { ObjectInput } from "../input.ts";
import type { Author } from "../author.ts";
import type { ObjectState } from "../state/object-state.ts";
import { selectRecipients } from "./recipients.ts";
import type { NotificationPlanner } from "./notification-planner.ts";
import { applyFilters, escalationLevelOf } from "./filters.ts";
import { notificationDecision } from "./notification-decision.ts";
import type { NotificationState } from "./notification-state.ts";

type News = { readonly kind: NotificationKind; readonly by: Author; readonly comment: string };

/** What an input itself is worth telling: said now or, where something is in the way, never. */
export function eventOf(input: ObjectInput, before: ObjectState, after: ObjectState): News | undefined {
  if (input.kind === "custom_notification") return { kind: "CUSTOM", by: input.by, comment: input.comment };
  if (input.kind === "acknowledge") {
    const { acknowledgement } = input;
    // Also of an object without a problem: that nobody is told is noted then.
    return input.notify
      ? { kind: "ACKNOWLEDGEMENT", by: acknowledgement, comment: acknowledgement.comment }
      : undefined;
  }
  if (before.downtimes === after.downtimes) return undefined;
  const [was, is] = [before.downtimes.filter((d) => d.inEffect), after.downtimes.filter((d) => d.inEffect)];
  if (anyInEffect(before.downtimes) === anyInEffect(after.downtimes)) return undefined;
  const moved = is[0] ?? was[0];
  const comment = moved?.comment ?? "";
  if (is.length > 0) return { kind: "DOWNTIME_START", by: moved ?? noAuthor, comment };
  const deletedBy = input.kind === "delete_downtime" || input.kind === "downtime_trigger" ? input.by : undefined;
  const deleted = deletedBy !== undefined || input.kind === "downtime_trigger";
  return { kind: deleted ? "DOWNTIME_CANCELLED" : "DOWNTIME_END", by: deletedBy ?? moved ?? noAuthor, comment };
}

/** [NO15] To the contacts of the current level; counts for nothing and moves nothing. Whether somebody was told. */
export function planEvent(draft: NotificationPlanner, { kind, by, comment }: News): boolean {
  const owed = draft.due(kind);
  // Where nobody is ever told, only somebody who asked for a message wants to know that there was none.
  if (owed.policy === undefined && kind !== "CUSTOM" && kind !== "ACKNOWLEDGEMENT") return false;
  const why = applyFilters(owed) ?? disabled(draft, kind);
  const level = escalationLevelOf(owed);
  if (why !== undefined || level === undefined) {
    draft.drop(kind, why ?? notificationDecision("no_policy"), { by, comment });
    return false;
  }
  const { reachable, decision: unreached } = selectRecipients(level.contacts, draft.context);
  if (reachable.length === 0) {
    draft.drop(kind, unreached ?? notificationDecision("contact_off"), { by, comment });
    return false;
  }
  draft.send(owed, reachable, { by, comment, previousStatus: statusOf(draft.state.phase) });
  return true;
}

const disabled = (draft: NotificationPlanner, kind: NotificationKind) =>
  escalationLevelOf(draft.due(kind))?.disabledKinds.includes(kind) ? notificationDecision("kind_disabled") : undefined;

/** What keeps flapping news waiting instead of dropping it: they are told at the end, if they still hold. */
const waits = new Set(["downtime", "dependency", "policy_period", "level_period"]);

/** [NO16] That it flaps, and that it stopped; one that starts and stops unheard is not told at all. */
export function planFlapping(draft: NotificationPlanner): void {
  const { flap, toggles } = draft.state;
  const { plan, objectContext } = draft.context;
  const known = draft.notificationState.flapping;
  if (!isFlapDetectionOn(plan, { toggles }, objectContext)) return settleFlapping(draft, "calm");
  if (flap.flapping === (known !== "calm")) return forgetUnheard(draft);
  if (!flap.flapping && known === "dropped") return endUnheard(draft);
  const kind = flap.flapping ? "FLAPPING_START" : "FLAPPING_STOP";
  const why = applyFilters(draft.due(kind));
  if (why !== undefined && waits.has(why.reason)) return draft.suppressFlapping(kind, why);
  const told = planEvent(draft, { kind, by: noAuthor, comment: "" });
  if (flap.flapping) settleFlapping(draft, told ? "told" : "dropped");
  else settleFlapping(draft, "calm");
}

function settleFlapping(draft: NotificationPlanner, flapping: NotificationState["flapping"]): void {
  const { flapping: known, flappingWithheld } = draft.notificationState;
  if (known !== flapping || flappingWithheld !== undefined) draft.change({ flapping, flappingWithheld: undefined });
}

/** What is so is what people know: what was withheld is undone. */
function forgetUnheard(draft: NotificationPlanner): void {
  const { flappingWithheld, flapping } = draft.notificationState;
  if (flappingWithheld === undefined) return;
  if (flapping === "calm") endUnheard(draft);
  else settleFlapping(draft, flapping);
}

/** Nobody heard that it began. */
function endUnheard(draft: NotificationPlanner): void {
  if (draft.due("FLAPPING_STOP").policy !== undefined)
    draft.drop("FLAPPING_STOP", notificationDecision("nobody_told"), { by: noAuthor, comment: "" });
  settleFlapping(draft, "calm");
}
