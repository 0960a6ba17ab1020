import type { HostPlan, ServicePlan } from "@realmwatch/shared/config/plan";
import type { Metrics } from "@realmwatch/shared/platform/metrics/metrics";
import type { OutboundPolicy } from "@realmwatch/shared/platform/network/outbound-policy";
import { registerProgramMetrics, timeoutMetrics } from "./checks/check-metrics.ts";
import type { CheckEnvironment } from "./checks/check-type.ts";
import { checkTypes } from "./checks/check-types.ts";
import { openCheckDependencies } from "./checks/open-check-dependencies.ts";
import { type CheckRun, runCheck } from "./checks/run-check.ts";

/** Highest number of programs that run at the same time for checks. */
export const maxCheckPrograms = 64;

/** Runs checks, with everything that they need. `outbound`: networks to which no check connects. */
export function openCheckRunner({ outbound, metrics }: { outbound: OutboundPolicy; metrics: Metrics }) {
  const tools = openCheckDependencies({ concurrency: maxCheckPrograms, outbound });
  const stopping = new AbortController();
  const countTimeout = timeoutMetrics(metrics, Object.keys(checkTypes));
  registerProgramMetrics(metrics, tools.programCounts);
  return {
    async run(object: HostPlan | ServicePlan, around: CheckEnvironment): Promise<CheckRun> {
      const signal = around.signal ? AbortSignal.any([stopping.signal, around.signal]) : stopping.signal;
      const { timedOut, ...found } = await runCheck(object, { ...around, signal }, tools);
      if (timedOut) countTimeout(object.check.type);
      return found;
    },
    async close() {
      stopping.abort();
      await tools.close();
    },
  };
}
