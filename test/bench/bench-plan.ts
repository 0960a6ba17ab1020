import { flapPlan, schedulePlan } from "@realmwatch/agent/engine/plans.fixture";
import { realmPlan } from "@realmwatch/agent/realm/fixtures/realm-plan.fixture";
import type { CheckSpec } from "@realmwatch/shared/config/check-kinds/check-kinds";
import type { HostPlan, ObjectPlan, RealmPlan, ServicePlan } from "@realmwatch/shared/config/plan";
import type { ObjectKey } from "@realmwatch/shared/model/object-key";
import { blankMetadata } from "@realmwatch/shared/row/metadata-fields";

const passive = { type: "passive", freshnessThresholdMs: 3_600_000, staleStatus: "unknown" } as const;

function objectOf(ref: string, key: ObjectKey, check: CheckSpec): Omit<ServicePlan, "key" | "host"> {
  const about = { ...blankMetadata, key, labels: { env: "prod" }, checkType: check.type, zone: "default" };
  return {
    ref,
    about,
    vars: {},
    policy: "",
    flap: flapPlan,
    digest: "",
    check,
    schedule: schedulePlan,
    handler: "",
    handlerEnabled: true,
  };
}

/** `hosts` passive hosts with ten services each, checked every minute as `checkOf` says. Default: passive too. */
export function benchPlan(hosts: number, checkOf: (host: number) => CheckSpec = () => passive): RealmPlan {
  const objects = new Map<string, ObjectPlan>();
  for (let h = 0; h < hosts; h += 1) {
    const name = `host-${h}`;
    const services = Array.from({ length: 10 }, (_, s) => `${name}!service-${s}`);
    const key = { kind: "host", name } as const;
    const links = { parents: [], children: [], services };
    objects.set(name, { ...objectOf(name, key, passive), key, address: "127.0.0.1", ...links } satisfies HostPlan);
    for (const [s, ref] of services.entries()) {
      const own = { kind: "service", host: name, name: `service-${s}` } as const;
      objects.set(ref, { ...objectOf(ref, own, checkOf(h)), key: own, host: name } satisfies ServicePlan);
    }
  }
  return realmPlan([...objects.values()]);
}
