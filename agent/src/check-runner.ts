import type { HostPlan, ServicePlan } from "@realmwatch/shared/config/plan";
import type { CheckEnvironment } from "./checks/check-type.ts";
import { openCheckDependencies } from "./checks/open-check-dependencies.ts";
import { type CheckRun, runCheck } from "./checks/run-check.ts";

/** Highest number of programs that run at the same time for checks. */
export const maxCheckPrograms = 64;
type Checks = {
  run(plan: HostPlan | ServicePlan, around: Omit<CheckEnvironment, "signal">): Promise<CheckRun>;
  close(): Promise<void>;
};

/** Runs checks, with everything that they need. */
export function openCheckRunner(): Checks {
  const tools = openCheckDependencies({ concurrency: maxCheckPrograms });
  const stopping = new AbortController();
  return {
    run: (object, around) => runCheck(object, { ...around, signal: stopping.signal }, tools),
    async close() {
      stopping.abort();
      await tools.close();
    },
  };
}
