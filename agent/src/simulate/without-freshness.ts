import { isChecked, type ObjectPlan, type RealmPlan } from "@realmwatch/shared/config/plan";

/**
 * Returns the plan without freshness thresholds. Submitted results that change nothing are not recorded, so a replay
 * has no results for long times and must not treat them as missing.
 */
export function withoutFreshness(plan: RealmPlan): RealmPlan {
  const objects = new Map<string, ObjectPlan>();
  for (const [ref, object] of plan.objects) {
    const passive = isChecked(object) && object.check.type === "passive" ? object : undefined;
    const check = passive?.check.type === "passive" ? { ...passive.check, freshnessThresholdMs: Infinity } : undefined;
    objects.set(ref, passive === undefined || check === undefined ? object : { ...passive, check });
  }
  return { ...plan, objects };
}
