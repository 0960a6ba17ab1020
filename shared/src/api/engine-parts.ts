import type { AuditLog } from "../model/audit.ts";
import type { Metrics } from "../platform/metrics/metrics.ts";

/** Audit log of the engine, for a port in a thread of its own. */
export const engineAudit = (record: AuditLog["add"]): AuditLog => ({
  add: (one) => record(one).catch(() => {}),
});

/** Metrics of the port's thread that are rendered together with the engine's. */
export const withEngineMetrics = (own: Metrics, renderEngine: () => Promise<string>): Metrics => ({
  ...own,
  async render() {
    const [ofEngine, { contentType, text }] = await Promise.all([renderEngine(), own.render()]);
    return { contentType, text: ofEngine + text };
  },
});
