import type { NotificationKind } from "@realmwatch/shared/model/notification";
import { nobody } from "../annotations/apply-annotation.ts";
import { statusOf } from "../state/attempts.ts";
import { anyInEffect } from "../downtimes/downtimes.ts";
import { isWatched } from "../flapping/flap-detection.ts";
import type { By, ObjectInput } from "../input.ts";
import type { ObjectState } from "../state/object-state.ts";
import { reach } from "./recipients.ts";
import type { TellDraft } from "./notification-planner.ts";
import { askFilters, because, levelOf } from "./filters.ts";
import type { TellingState } from "./notification-state.ts";

type News = { readonly kind: NotificationKind; readonly by: By; readonly comment: string };

/** What an input itself is worth telling: said now or, where something is in the way, never. */
export function newsOf(input: ObjectInput, before: ObjectState, after: ObjectState): News | undefined {
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
  if (is.length > 0) return { kind: "DOWNTIME_START", by: moved ?? nobody, comment };
  const deletedBy = input.kind === "delete_downtime" || input.kind === "downtime_trigger" ? input.by : undefined;
  const deleted = deletedBy !== undefined || input.kind === "downtime_trigger";
  return { kind: deleted ? "DOWNTIME_CANCELLED" : "DOWNTIME_END", by: deletedBy ?? moved ?? nobody, comment };
}

/** [NO15] To the contacts of the current level; counts for nothing and moves nothing. Whether somebody was told. */
export function tellNews(draft: TellDraft, { kind, by, comment }: News): boolean {
  const owed = draft.owed(kind);
  // Where nobody is ever told, only somebody who asked for a message wants to know that there was none.
  if (owed.policy === undefined && kind !== "CUSTOM" && kind !== "ACKNOWLEDGEMENT") return false;
  const why = askFilters(owed) ?? disabled(draft, kind);
  const level = levelOf(owed);
  if (why !== undefined || level === undefined) {
    draft.drop(kind, why ?? because("no_policy"), { by, comment });
    return false;
  }
  const { reached, because: unreached } = reach(level.contacts, draft.context);
  if (reached.length === 0) {
    draft.drop(kind, unreached ?? because("contact_off"), { by, comment });
    return false;
  }
  draft.send(owed, reached, { by, comment, previousStatus: statusOf(draft.state.phase) });
  return true;
}

const disabled = (draft: TellDraft, kind: NotificationKind) =>
  levelOf(draft.owed(kind))?.disabledKinds.includes(kind) ? because("kind_disabled") : undefined;

/** What keeps flapping news waiting instead of dropping it: they are told at the end, if they still hold. */
const waits = new Set(["downtime", "dependency", "policy_period", "level_period"]);

/** [NO16] That it flaps, and that it stopped; one that starts and stops unheard is not told at all. */
export function tellFlapping(draft: TellDraft): void {
  const { flap, toggles } = draft.state;
  const { plan, around } = draft.context;
  const known = draft.telling.flapping;
  if (!isWatched(plan, { toggles }, around)) return settleFlapping(draft, "calm");
  if (flap.flapping === (known !== "calm")) return forgetUnheard(draft);
  if (!flap.flapping && known === "dropped") return endUnheard(draft);
  const kind = flap.flapping ? "FLAPPING_START" : "FLAPPING_STOP";
  const why = askFilters(draft.owed(kind));
  if (why !== undefined && waits.has(why.reason)) return draft.withholdFlapping(kind, why);
  const told = tellNews(draft, { kind, by: nobody, comment: "" });
  if (flap.flapping) settleFlapping(draft, told ? "told" : "dropped");
  else settleFlapping(draft, "calm");
}

function settleFlapping(draft: TellDraft, flapping: TellingState["flapping"]): void {
  const { flapping: known, flappingWithheld } = draft.telling;
  if (known !== flapping || flappingWithheld !== undefined) draft.change({ flapping, flappingWithheld: undefined });
}

/** What is so is what people know: what was withheld is undone. */
function forgetUnheard(draft: TellDraft): void {
  const { flappingWithheld, flapping } = draft.telling;
  if (flappingWithheld === undefined) return;
  if (flapping === "calm") endUnheard(draft);
  else settleFlapping(draft, flapping);
}

/** Nobody heard that it began. */
function endUnheard(draft: TellDraft): void {
  if (draft.owed("FLAPPING_STOP").policy !== undefined)
    draft.drop("FLAPPING_STOP", because("nobody_told"), { by: nobody, comment: "" });
  settleFlapping(draft, "calm");
}
