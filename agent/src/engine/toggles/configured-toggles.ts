import { isChecked, type ObjectPlan } from "@realmwatch/shared/config/plan";
import type { ObjectToggles } from "@realmwatch/shared/model/toggles";

/** What the configuration says where an object has a switch for the same. */
export type ConfiguredToggles = Readonly<Pick<ObjectToggles, "flapDetection" | "eventHandler">>;

export const configuredTogglesOf = (plan: ObjectPlan): ConfiguredToggles => ({
  flapDetection: plan.flap.enabled,
  eventHandler: isChecked(plan) && plan.handlerEnabled,
});

/** What is to be remembered of the configuration; undefined where no switch stands against it. */
export const configuredIfOverridden = (
  plan: ObjectPlan,
  { flapDetection, eventHandler }: ObjectToggles,
): ConfiguredToggles | undefined => (flapDetection && eventHandler ? undefined : configuredTogglesOf(plan));
