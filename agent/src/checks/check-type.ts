import type { ActiveCheckSpec } from "@realmwatch/shared/config/check-spec";
import type { HostPlan, RealmPlan, ServicePlan } from "@realmwatch/shared/config/plan";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { Outcome } from "@realmwatch/shared/model/outcome";
import type { NameResolver } from "../platform/dns/name-resolver.ts";
import type { EchoProber } from "../platform/icmp/echo-prober.ts";
import type { TrustedRoots } from "../platform/network/trusted-roots.ts";
import type { ProgramRunner } from "../platform/programs/program-runner.ts";
import type { SnmpReader } from "../platform/snmp/snmp-request.ts";
import type { WasmRunner } from "../platform/wasm/wasm-runner.ts";

/** All that a check may touch. Nothing else is reached for. */
export type CheckDependencies = {
  readonly clock: Clock;
  readonly resolver: NameResolver;
  readonly programs: ProgramRunner;
  readonly echoes: EchoProber;
  readonly trustedRoots: TrustedRoots;
  readonly snmp: SnmpReader;
  readonly modules: WasmRunner;
};

/** What is checked and where: everything but the moment. */
export type CheckEnvironment = {
  /** The host itself, or the service's host. */
  readonly host: HostPlan;
  readonly realm: Pick<RealmPlan, "commands" | "resources">;
  /** Values of the macros that are not in the plan: states, times. `undefined` where there is none. */
  macro(name: string): string | undefined;
  /** Ends the check early, as when the agent stops. Default: nothing does. */
  readonly signal?: AbortSignal;
};

export type CheckContext = CheckEnvironment & {
  readonly plan: HostPlan | ServicePlan;
  /** ms, above 0. */
  readonly timeoutMs: number;
};

/** `executionMs` is the check's own account of how long it ran, where waiting for its turn was no part of it. */
export type CheckOutcome = Outcome & { readonly executionMs?: number };

/** One way to look at the world. `run` never rejects: a sick target is an outcome, and so is a tool that is missing. */
export interface ActiveCheckType<Spec extends ActiveCheckSpec> {
  readonly type: Spec["type"];
  /** The status where `timeoutMs` passes first; `own` where `run` itself sees to its deadline. */
  readonly onTimeout: "critical" | "unknown" | "own";
  run(spec: Spec, context: CheckContext, tools: CheckDependencies, signal: AbortSignal): Promise<CheckOutcome>;
}
