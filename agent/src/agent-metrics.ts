import type { Metrics } from "@realmwatch/shared/tools/metrics";
import type { Outcome } from "@realmwatch/shared/words/outcome";
import type { Dropped } from "./engine/apply-result.ts";
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
  freeBytes(): number;
  auditLost(): number;
  objects(): number;
};

export function agentMetrics(metrics: Metrics, gauges: AgentGauges): AgentMetrics {
  const checks = metrics.counter({ name: "checks_total", help: "Checks that ended.", labels: ["type", "result"] });
  const latency = metrics.histogram({
    name: "check_latency_seconds",
    help: "From when a check was due until it started.",
    buckets: [0.001, 0.01, 0.05, 0.1, 0.5, 1, 5, 30],
  });
  const duration = metrics.histogram({
    name: "check_duration_seconds",
    help: "How long checks ran.",
    labels: ["type"],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 1, 5, 10, 30, 60],
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
  const gauge = (name: string, help: string, read: () => number): void => {
    metrics.gauge({ name, help, collect: (g) => g.set(read()) });
  };
  gauge("checks_in_flight", "Checks that run now.", gauges.checksRunning);
  gauge("checks_waiting", "Checks that are due and wait for a place.", gauges.checksWaiting);
  gauge(
    "scheduler_lag_seconds",
    "How late the check is that should have started longest ago; 0 where none is.",
    () => gauges.schedulerLagMs() / 1000,
  );
  gauge("engine_queue_length", "Inputs that wait for the engine.", gauges.inputsWaiting);
  gauge("command_queue_length", "Commands accepted and not yet applied.", gauges.commandsWaiting);
  gauge("journal_writable", "1 while the journal takes writes.", () => Number(gauges.journalWritable()));
  gauge("journal_bytes", "What the journal takes on the disk.", gauges.journalBytes);
  gauge("data_dir_free_bytes", "What the data directory's disk has left.", gauges.freeBytes);
  gauge("audit_records_lost", "Audit records that no disk took and no memory held, since the start.", gauges.auditLost);
  gauge("objects", "Objects that are configured.", gauges.objects);
  return {
    checkEnded(type, outcome, { latencyMs, executionMs }) {
      checks.inc({ type, result: outcome.status });
      latency.observe(latencyMs / 1000);
      duration.observe({ type }, executionMs / 1000);
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
