import { isChecked, type ObjectPlan, type RealmPlan } from "@realmwatch/shared/config/plan";

/**
 * The plan without freshness thresholds: what comes from elsewhere and changes nothing is neither recorded nor made up,
 * so that silence means nothing here.
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
