import { systemAuthor } from "@realmwatch/shared/model/author";
import type { ObjectState } from "../state/object-state.ts";
import type { StepContext } from "../step-context.ts";
import { andThen, type Transition, unchanged } from "../transition.ts";
import { configuredTogglesOf } from "./configured-toggles.ts";
import { setToggle } from "./set-toggle.ts";

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
