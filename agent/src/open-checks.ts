import type { HostPlan, ServicePlan } from "@realmwatch/shared/config/plan";
import { systemClock } from "@realmwatch/shared/tools/system-clock";
import type { CheckSurroundings } from "./checks/check-type.ts";
import { type CheckRun, runCheck } from "./checks/run-check.ts";
import { openEchoProber } from "./run/echo-prober.ts";
import { openProgramPool } from "./run/program-pool.ts";
import { openNameResolver } from "./run/resolve-name.ts";
import { openSnmpReader } from "./run/snmp-reader.ts";
import { openTrustedRoots } from "./run/trusted-roots.ts";
import { openWasmPool } from "./run/wasm-pool.ts";

/** Programs that run at the same time, of all checks that do. */
export const maxPrograms = 64;
type Checks = {
  run(plan: HostPlan | ServicePlan, around: Omit<CheckSurroundings, "signal">): Promise<CheckRun>;
  close(): Promise<void>;
};

/** What the checks need, and how one is run. */
export function openChecks(): Checks {
  const programs = openProgramPool({ clock: systemClock, concurrency: maxPrograms });
  const echoes = openEchoProber({ clock: systemClock });
  const modules = openWasmPool({ clock: systemClock });
  const tools = {
    clock: systemClock,
    programs,
    modules,
    echoes,
    trustedRoots: openTrustedRoots(),
    resolver: openNameResolver({ clock: systemClock }),
    snmp: openSnmpReader({ clock: systemClock }),
  };
  const stopping = new AbortController();
  return {
    run: (object, around) => runCheck(object, { ...around, signal: stopping.signal }, tools),
    async close() {
      stopping.abort();
      await Promise.all([programs.close(), modules.close(), echoes.close()]);
    },
  };
}
