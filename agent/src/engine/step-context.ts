import type { ObjectPlan } from "@realmwatch/shared/config/plan";
import type { ObjectContext } from "./object-context.ts";

/** What a step reads beside the object's own state. */
export type StepContext = { readonly plan: ObjectPlan; readonly objectContext: ObjectContext; readonly nowMs: number };
