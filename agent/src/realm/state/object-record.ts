import type { ObjectPlan } from "@realmwatch/shared/config/plan";
import type { ObjectState } from "../../engine/state/object-state.ts";

/** Definition and state of one object. The realm loop alone changes it. */
export type ObjectRecord = { plan: ObjectPlan; state: ObjectState };

/** Effect of a new plan on one object. `before` is the definition in the previous plan. */
export type ObjectSwap =
  | { readonly kind: "added"; readonly record: ObjectRecord }
  | { readonly kind: "unchanged" | "changed"; readonly record: ObjectRecord; readonly before: ObjectPlan }
  | { readonly kind: "removed"; readonly record: ObjectRecord };
