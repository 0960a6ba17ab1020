import type { ObjectPlan } from "@realmwatch/shared/config/plan";
import type { ObjectContext } from "./input.ts";

/** What a step reads beside the object's own state. */
export type StepContext = { readonly plan: ObjectPlan; readonly objectContext: ObjectContext; readonly nowMs: number };
