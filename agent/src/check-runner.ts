import type { HostPlan, ServicePlan } from "@realmwatch/shared/config/plan";
import type { OutboundPolicy } from "@realmwatch/shared/platform/network/outbound-policy";
import type { CheckEnvironment } from "./checks/check-type.ts";
import { openCheckDependencies } from "./checks/open-check-dependencies.ts";
import { type CheckRun, runCheck } from "./checks/run-check.ts";

/** Highest number of programs that run at the same time for checks. */
export const maxCheckPrograms = 64;
type Checks = {
  run(plan: HostPlan | ServicePlan, around: Omit<CheckEnvironment, "signal">): Promise<CheckRun>;
  close(): Promise<void>;
};

/** Runs checks, with everything that they need. `outbound`: networks to which no check connects. */
export function openCheckRunner(outbound: OutboundPolicy): Checks {
  const tools = openCheckDependencies({ concurrency: maxCheckPrograms, outbound });
  const stopping = new AbortController();
  return {
    run: (object, around) => runCheck(object, { ...around, signal: stopping.signal }, tools),
    async close() {
      stopping.abort();
      await tools.close();
    },
  };
}
