import type { Metrics } from "../platform/metrics/metrics.ts";

/** Numbers of audit records and failed writes since the start. */
export type AuditCounts = { written(): number; failedWrites(): number };

/** Registers the counters of the audit log, which sum up all ways by which records are written. */
export function registerAuditCounters(metrics: Pick<Metrics, "observableCounter">, ways: readonly AuditCounts[]): void {
  const total = (name: string, help: string, read: (way: AuditCounts) => number): void =>
    metrics.observableCounter(name, help, () => ways.reduce((sum, way) => sum + read(way), 0));
  total("audit_records_total", "Audit records written.", (way) => way.written());
  total(
    "audit_write_errors_total",
    "Failed writes of audit records; the records wait or their command was refused.",
    (way) => way.failedWrites(),
  );
}
