import type { ObjectPlan } from "@realmwatch/shared/config/plan";
import type { ObjectContext } from "./object-context.ts";

/** Inputs of a step beside the object's own state and the input itself. */
export type StepContext = {
  readonly plan: ObjectPlan;
  readonly objectContext: ObjectContext;
  readonly nowMs: number;
};
