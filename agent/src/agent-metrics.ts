import type { Outcome } from "@realmwatch/shared/model/outcome";
import type { Metrics } from "@realmwatch/shared/platform/metrics/metrics";
import { checkMetrics } from "./checks/check-metrics.ts";
import type { Dropped } from "./engine/state/apply-result.ts";
import type { ToldChange } from "./realm/row-teller.ts";

/** What the agent measures of its own work. Labels come from bounded sets: never an object's name. */
export type AgentMetrics = {
  checkEnded(
    type: string,
    outcome: Outcome,
    timing: { readonly latencyMs: number; readonly executionMs: number },
  ): void;
  synced(ms: number): void;
  rowsTold(changes: readonly ToldChange[]): void;
  journalFailed(): void;
  resultDropped(why: Dropped): void;
  reloaded(successful: boolean, atMs: number): void;
};

/** What is only read when somebody scrapes. */
export type AgentGauges = {
  checksRunning(): number;
  checksWaiting(): number;
  schedulerLagMs(): number;
  inputsWaiting(): number;
  commandsWaiting(): number;
  journalWritable(): boolean;
  journalBytes(): number;
  journalMissing(): number;
  journalDamaged(): number;
  freeBytes(): number;
  auditLost(): number;
  objects(): number;
};

export function agentMetrics(metrics: Metrics, gauges: AgentGauges): AgentMetrics {
  const checkEnded = checkMetrics(metrics);
  const latency = metrics.histogram({
    name: "check_latency_seconds",
    help: "From when a check was due until it started.",
    buckets: [0.001, 0.01, 0.05, 0.1, 0.5, 1, 5, 30],
  });
  const sync = metrics.histogram({
    name: "journal_sync_seconds",
    help: "How long the journal took to make a batch durable.",
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1],
  });
  const rows = metrics.counter({ name: "row_changes_total", help: "Changes of rows.", labels: ["weight"] });
  const failures = metrics.counter({ name: "journal_failures_total", help: "Times that the journal began to fail." });
  const dropped = {
    stale: metrics.counter({
      name: "results_dropped_stale_total",
      help: "Results that were not taken because a newer one was known.",
    }),
    passive_off: metrics.counter({
      name: "results_dropped_passive_off_total",
      help: "Submitted results that were not taken because passive checks are off.",
    }),
  };
  const reloads = metrics.counter({
    name: "config_loads_total",
    help: "Documents that were offered, at the start and since, by what became of them.",
    labels: ["outcome"],
  });
  const reloadGood = metrics.gauge({
    name: "config_last_reload_successful",
    help: "1 where the last document that was offered is the running one.",
  });
  const reloadAt = metrics.gauge({
    name: "config_last_reload_success_timestamp_seconds",
    help: "When a document last became the running one.",
  });
  metrics.reading("checks_in_flight", "Checks that run now.", gauges.checksRunning);
  metrics.reading("checks_waiting", "Checks that are due and wait for a place.", gauges.checksWaiting);
  metrics.reading(
    "scheduler_lag_seconds",
    "How late the check is that should have started longest ago; 0 where none is.",
    () => gauges.schedulerLagMs() / 1000,
  );
  metrics.reading("engine_queue_length", "Inputs that wait for the engine.", gauges.inputsWaiting);
  metrics.reading("command_queue_length", "Commands accepted and not yet applied.", gauges.commandsWaiting);
  metrics.reading("journal_writable", "1 while the journal takes writes.", () => Number(gauges.journalWritable()));
  metrics.reading("journal_bytes", "What the journal takes on the disk.", gauges.journalBytes);
  metrics.reading(
    "journal_records_missing",
    "Records and commands that the journal had lost when this start read it.",
    gauges.journalMissing,
  );
  metrics.reading(
    "journal_records_damaged",
    "History and audit records that were damaged when they were read, since the start; up to 1000.",
    gauges.journalDamaged,
  );
  metrics.reading("data_dir_free_bytes", "What the data directory's disk has left.", gauges.freeBytes);
  metrics.reading(
    "audit_records_lost",
    "Audit records that were missing at the start, or that no disk took and no memory held since.",
    gauges.auditLost,
  );
  metrics.reading("objects", "Objects that are configured.", gauges.objects);
  return {
    checkEnded(type, outcome, { latencyMs, executionMs }) {
      latency.observe(latencyMs / 1000);
      checkEnded(type, outcome, executionMs);
    },
    synced: (ms) => sync.observe(ms / 1000),
    rowsTold(changes) {
      const urgent = changes.reduce((count, change) => count + Number(change.urgent), 0);
      rows.inc({ weight: "changed" }, urgent);
      rows.inc({ weight: "fresher" }, changes.length - urgent);
    },
    journalFailed: () => failures.inc(),
    resultDropped: (why) => dropped[why].inc(),
    reloaded(successful, atMs) {
      reloads.inc({ outcome: successful ? "applied" : "refused" });
      reloadGood.set(Number(successful));
      if (successful) reloadAt.set(atMs / 1000);
    },
  };
}
