import type { HostPlan, ServicePlan } from "@realmwatch/shared/config/plan";
import type { CheckSurroundings } from "./checks/check-type.ts";
import { openCheckTools } from "./checks/open-check-dependencies.ts";
import { type CheckRun, runCheck } from "./checks/run-check.ts";

/** Programs that run at the same time, of all checks that do. */
export const maxPrograms = 64;
type Checks = {
  run(plan: HostPlan | ServicePlan, around: Omit<CheckSurroundings, "signal">): Promise<CheckRun>;
  close(): Promise<void>;
};

/** What the checks need, and how one is run. */
export function openChecks(): Checks {
  const tools = openCheckTools({ concurrency: maxPrograms });
  const stopping = new AbortController();
  return {
    run: (object, around) => runCheck(object, { ...around, signal: stopping.signal }, tools),
    async close() {
      stopping.abort();
      await tools.close();
    },
  };
}
