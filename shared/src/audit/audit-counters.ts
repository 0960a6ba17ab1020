import type { Metrics } from "../platform/metrics/metrics.ts";

/** Numbers of audit records and failed writes since the start. */
export type AuditCounts = { written(): number; failedWrites(): number };

/** Registers the counters of the audit log, which sum up all ways by which records are written. */
export function registerAuditCounters(
  metrics: Pick<Metrics, "observableCounters">,
  ways: readonly AuditCounts[],
): void {
  const sumOf = (read: (way: AuditCounts) => number) => () => ways.reduce((sum, way) => sum + read(way), 0);
  metrics.observableCounters({
    audit_records_total: ["Audit records written.", sumOf((way) => way.written())],
    audit_write_errors_total: [
      "Failed writes of audit records; the records wait or their command was refused.",
      sumOf((way) => way.failedWrites()),
    ],
  });
}
