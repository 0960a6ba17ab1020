import { describeCheckCommand } from "@realmwatch/shared/config/describe-check-command";
import { isChecked, type RealmPlan } from "@realmwatch/shared/config/plan";
import { formatKey, type ObjectKey, refOf } from "@realmwatch/shared/model/object-key";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import type { PairControl } from "../pair/pair-control.ts";
import type { EngineFunctions } from "../port/port-contract.ts";

/** Functions of the pair, which an agent without one refuses. */
export const pairFunctions = (
  control: () => PairControl | undefined,
): Pick<EngineFunctions, "pairStatus" | "switchPair" | "promotePair" | "followPair"> => ({
  pairStatus: () => control()?.status(),
  switchPair: async (by) => (await control()?.switch(by)) ?? fail("no pair"),
  promotePair: async (by, force) => (await control()?.promote(by, force)) ?? fail("no pair"),
  followPair: async (frame) => (await control()?.follow(frame)) ?? fail("no pair"),
});

/** [QS10] Check command of an object as text. */
export function checkCommandOf({ objects, commands }: RealmPlan, key: ObjectKey): Result<string, Refusal> {
  const plan = objects.get(refOf(key));
  if (plan === undefined) return fail({ kind: "missing", what: formatKey(key) });
  if (!isChecked(plan)) return ok("");
  const owner = "host" in plan ? objects.get(plan.host) : plan;
  const host = owner !== undefined && "children" in owner ? owner : undefined;
  return ok(describeCheckCommand({ plan, host, commands }));
}
