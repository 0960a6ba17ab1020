import type { CheckSpec } from "@realmwatch/shared/config/check-spec";
import type { HostPlan, ServicePlan } from "@realmwatch/shared/config/plan";
import { systemClock } from "@realmwatch/shared/tools/system-clock";
import { openEchoProber } from "../run/echo-prober.ts";
import { openProgramPool } from "../run/program-pool.ts";
import { openNameResolver } from "../run/resolve-name.ts";
import { openSnmpReader } from "../run/snmp-reader.ts";
import { openTrustedRoots } from "../run/trusted-roots.ts";
import { openWasmPool } from "../run/wasm-pool.ts";
import type { CheckSurroundings, CheckTools } from "./check-type.ts";

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
  key,
  labels: {},
  parents: [],
  checkType: check.type,
  rule: "",
  zone: "",
  checkPeriod: "",
  notificationPeriod: "",
});

/** A host for tests, checked by `check`. */
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

/** A service for tests on the host `web1`. */
export function servicePlan(check: CheckSpec, timeoutMs = 10_000, more: Partial<ServicePlan> = {}): ServicePlan {
  const key = { kind: "service", host: "web1", name: "http" } as const;
  return { ...common(check, timeoutMs), ref: "web1!http", key, about: about(key, check), host: "web1", ...more };
}

export function surroundings(more: Partial<CheckSurroundings> = {}): CheckSurroundings {
  const host = hostPlan({ type: "icmp", host: "192.0.2.1" });
  return { host, realm: { commands: {}, resources: {} }, macro: () => undefined, ...more };
}

/** Real tools. `close` leaves no process behind. */
export function openTools(servers?: readonly string[]): CheckTools & { close(): Promise<void> } {
  const clock = systemClock;
  const programs = openProgramPool({ clock });
  const resolver = openNameResolver({ clock, ...(servers === undefined ? {} : { servers }) });
  const snmp = openSnmpReader({ clock });
  const modules = openWasmPool({ clock });
  const echoes = openEchoProber({ clock });
  const close = async (): Promise<void> =>
    void (await Promise.all([programs.close(), modules.close(), echoes.close()]));
  return { clock, programs, modules, resolver, snmp, trustedRoots: openTrustedRoots(), echoes, close };
}
