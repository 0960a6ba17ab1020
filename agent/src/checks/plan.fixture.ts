import type { CheckSpec } from "@realmwatch/shared/config/check-kinds/check-kinds";
import type { HostPlan, ServicePlan } from "@realmwatch/shared/config/plan";
import { blankMetadata } from "@realmwatch/shared/row/metadata-fields";
import type { CheckEnvironment } from "./check-type.ts";
import { openCheckDependencies } from "./open-check-dependencies.ts";

const common = (check: CheckSpec, timeoutMs: number) => ({
  vars: {},
  policy: "",
  flap: { enabled: true, alpha: 0.1, highThreshold: 0.3, lowThreshold: 0.15, notifyOnFlapStop: false },
  digest: "",
  check,
  schedule: { checkIntervalMs: 60_000, retryIntervalMs: 15_000, timeoutMs, maxAttempts: 3, checkPeriod: "" },
  handler: "",
  handlerEnabled: true,
});
const about = (key: HostPlan["key"] | ServicePlan["key"], check: CheckSpec) => ({
  ...blankMetadata,
  key,
  checkType: check.type,
});

/** Test host `web1` that is checked by `check`. */
export function hostPlan(check: CheckSpec, more: Partial<HostPlan> = {}): HostPlan {
  const key = { kind: "host", name: "web1" } as const;
  const links = { parents: [], children: [], services: [] };
  return {
    ...common(check, 10_000),
    ref: "web1",
    key,
    about: about(key, check),
    address: "192.0.2.1",
    ...links,
    ...more,
  };
}

/** Test service `http` of host `web1`. */
export function servicePlan(check: CheckSpec, timeoutMs = 10_000, more: Partial<ServicePlan> = {}): ServicePlan {
  const key = { kind: "service", host: "web1", name: "http" } as const;
  return { ...common(check, timeoutMs), ref: "web1!http", key, about: about(key, check), host: "web1", ...more };
}

/** Environment of a check of host `web1`. */
export function checkEnvironment(more: Partial<CheckEnvironment> = {}): CheckEnvironment {
  const host = hostPlan({ type: "icmp", host: "192.0.2.1" });
  return { host, realm: { commands: {}, resources: {} }, macro: () => undefined, ...more };
}

/** Opens real dependencies. `close` ends all helper processes. */
export const openTestDependencies = (servers?: readonly string[]): ReturnType<typeof openCheckDependencies> =>
  openCheckDependencies(servers === undefined ? {} : { servers });
