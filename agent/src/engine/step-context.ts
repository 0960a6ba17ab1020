import type { ObjectPlan } from "@realmwatch/shared/config/plan";
import type { Surroundings } from "./input.ts";

/** What a step reads beside the object's own state. */
export type StepContext = { readonly plan: ObjectPlan; readonly around: Surroundings; readonly nowMs: number };
