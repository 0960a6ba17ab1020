import { systemAuthor, setToggle } from "../annotations/apply-annotation.ts";
import { andThen } from "../downtimes/apply-downtime.ts";
import { type Transition, unchanged } from "../state/apply-result.ts";
import { configuredTogglesOf } from "./configured-toggles.ts";
import type { ObjectState } from "../state/object-state.ts";
import type { StepContext } from "../step-context.ts";

/**
 * [TG3] A switch that is off stays so, until the configuration changes what it says of the same. Undefined where no
 * switch stands against it, which is so of nearly every object in every step.
 */
export function applyConfiguredToggles({ plan, nowMs }: StepContext, state: ObjectState): Transition | undefined {
  const { configured: before } = state;
  if (before === undefined) return undefined;
  const now = configuredTogglesOf(plan);
  return (["flapDetection", "eventHandler"] as const)
    .filter((toggle) => before[toggle] !== now[toggle])
    .reduce(
      (stepped, toggle) =>
        andThen(stepped, (next) => setToggle(plan, next, { toggle, enabled: true, by: systemAuthor, nowMs })),
      unchanged(state),
    );
}
