import { isChecked, type ObjectPlan } from "@realmwatch/shared/config/plan";
import type { ObjectToggles } from "@realmwatch/shared/model/toggles";

/** Configured values of the settings that an object also has a toggle for. */
export type ConfiguredToggles = Readonly<Pick<ObjectToggles, "flapDetection" | "eventHandler">>;

export const configuredTogglesOf = (plan: ObjectPlan): ConfiguredToggles => ({
  flapDetection: plan.flap.enabled,
  eventHandler: isChecked(plan) && plan.handlerEnabled,
});

/** The configured values to store with the state; undefined when both toggles are on and override nothing. */
export const configuredIfOverridden = (
  plan: ObjectPlan,
  { flapDetection, eventHandler }: ObjectToggles,
): ConfiguredToggles | undefined => (flapDetection && eventHandler ? undefined : configuredTogglesOf(plan));
