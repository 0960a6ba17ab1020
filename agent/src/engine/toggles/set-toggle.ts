import type { ObjectPlan } from "@realmwatch/shared/config/plan";
import { type Author, authorFields, systemAuthor } from "@realmwatch/shared/model/author";
import type { ObjectToggles } from "@realmwatch/shared/model/toggles";
import { toggleText } from "@realmwatch/shared/read-model/history/toggle-text";
import type { ObjectState } from "../state/object-state.ts";
import { andThen, type StepContext, type Transition, unchanged } from "../transition.ts";
import { configuredIfOverridden, configuredTogglesOf } from "./configured-toggles.ts";

/** [FR5] Sets one toggle of an object. Switching passive checks on restarts the freshness threshold. */
export function setToggle(
  plan: ObjectPlan,
  state: ObjectState,
  change: { toggle: keyof ObjectToggles; enabled: boolean; by: Author; nowMs: number },
): Transition {
  const { toggle, enabled, by, nowMs } = change;
  if (state.toggles[toggle] === enabled) return unchanged(state);
  const toggles = { ...state.toggles, [toggle]: enabled };
  const freshFromMs = toggle === "passiveChecks" && enabled ? nowMs : state.freshFromMs;
  return {
    state: { ...state, freshFromMs, toggles, configured: configuredIfOverridden(plan, toggles) },
    history: [{ atMs: nowMs, type: "toggle", key: plan.key, output: toggleText(toggle, enabled), ...authorFields(by) }],
    followUps: [],
  };
}

/**
 * [TG3] Switches a toggle on again when the configuration of the same setting has changed since the toggle was set.
 * Returns undefined when no toggle overrides the configuration, which is the case in nearly every step.
 */
export function applyConfiguredToggles({ plan, nowMs }: StepContext, state: ObjectState): Transition | undefined {
  const { configured: before } = state;
  if (before === undefined) return undefined;
  const now = configuredTogglesOf(plan);
  return (["flapDetection", "eventHandler"] as const)
    .filter((toggle) => before[toggle] !== now[toggle])
    .reduce(
      (transition, toggle) =>
        andThen(transition, (next) => setToggle(plan, next, { toggle, enabled: true, by: systemAuthor, nowMs })),
      unchanged(state),
    );
}
