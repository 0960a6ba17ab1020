import type { AuditRecord } from "../model/audit.ts";
import type { Clock } from "../model/clock.ts";
import { openLog } from "../platform/log/log.ts";
import { openThreadMetrics } from "../platform/metrics/metrics.ts";
import type { ThreadChannel } from "../platform/process/thread-channel.ts";
import { anonymousCallLimiter } from "./audit/audit-rate-limiter.ts";
import { EnginePulse } from "./engine-pulse.ts";
import type { ProgramFlags } from "./program-flags.ts";

/** Functions of the engine that every port calls. */
type EngineOfPort = {
  recordAudit(record: AuditRecord): Promise<void>;
  /** Metrics of the engine's threads in the Prometheus text format. */
  renderMetrics(): Promise<string>;
};

export type PortParts = Awaited<ReturnType<typeof openPortParts>>;

/** Parts that the ports of agent and aggregator have in their threads. */
export async function openPortParts(
  { logLevel, logFormat }: Pick<ProgramFlags, "logLevel" | "logFormat">,
  engine: Pick<ThreadChannel<EngineOfPort>, "request">,
  clock: Clock,
) {
  const own = openThreadMetrics("port");
  const audit = anonymousCallLimiter({
    audit: { add: (record) => engine.request("recordAudit", record).catch(() => {}) },
    clock,
  });
  return {
    ...{ audit, pulse: new EnginePulse(clock), log: await openLog({ level: logLevel, format: logFormat }) },
    /** Metrics of the port's thread, which are rendered together with the engine's. */
    metrics: {
      ...own,
      async render() {
        const [ofEngine, { contentType, text }] = await Promise.all([engine.request("renderMetrics"), own.render()]);
        return { contentType, text: ofEngine + text };
      },
    },
  };
}
