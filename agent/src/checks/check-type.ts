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

/** Everything that a check may access outside its own code. Tests pass in substitutes. */
export type CheckDependencies = {
  readonly clock: Clock;
  readonly resolver: NameResolver;
  readonly programs: ProgramRunner;
  readonly echoes: EchoProber;
  readonly trustedRoots: TrustedRoots;
  readonly snmp: SnmpReader;
  readonly modules: WasmRunner;
};

/** Environment of a check run: the host, configuration and macro values. */
export type CheckEnvironment = {
  /** The checked host, or the host of the checked service. */
  readonly host: HostPlan;
  readonly realm: Pick<RealmPlan, "commands" | "resources">;
  /** Value of a macro that depends on state or time, which the plan lacks; `undefined` when there is none. */
  macro(name: string): string | undefined;
  /** Interrupts the check, for example when the agent stops. Optional. */
  readonly signal?: AbortSignal;
};

export type CheckContext = CheckEnvironment & {
  readonly plan: HostPlan | ServicePlan;
  /** Timeout, ms, above 0. */
  readonly timeoutMs: number;
};

export type CheckOutcome = Outcome & {
  /** Execution time, ms, when the check measures it itself to exclude time spent in a queue. */
  readonly executionMs?: number;
  /** True when the check was ended by its timeout. */
  readonly timedOut?: true;
};

/** Implementation of a check type. `run` never rejects: failures of the target and of the check are outcomes. */
export interface ActiveCheckType<Spec extends ActiveCheckSpec> {
  readonly type: Spec["type"];
  /** Status after `timeoutMs`; `own` when `run` enforces the timeout itself. */
  readonly onTimeout: "critical" | "unknown" | "own";
  run(spec: Spec, context: CheckContext, dependencies: CheckDependencies, signal: AbortSignal): Promise<CheckOutcome>;
}
