import type { HistoryEntry } from "@realmwatch/shared/model/history";
import { objectKinds } from "@realmwatch/shared/model/object-key";
import type { Outcome } from "@realmwatch/shared/model/outcome";
import { buildCommit, version } from "@realmwatch/shared/model/version";
import { documentMetrics } from "@realmwatch/shared/platform/metrics/document-metrics";
import { type Metrics, openMetrics } from "@realmwatch/shared/platform/metrics/metrics";
import { checkMetrics } from "./checks/check-metrics.ts";
import type { DropReason } from "./engine/transition.ts";
import type { RowUpdate } from "./realm/outputs/row-change-builder.ts";

/** Metrics of the agent's own work. Labels come from bounded sets, never from object names. */
export type AgentMetrics = ReturnType<typeof agentMetrics>;

/** Opens the metrics of an agent. */
export function openAgentMetrics() {
  const metrics = openMetrics({ version, commit: buildCommit });
  return { metrics, measured: agentMetrics(metrics) };
}

function agentMetrics(metrics: Metrics) {
  const checkEnded = checkMetrics(metrics);
  const latency = metrics.histogram({
    name: "check_latency_seconds",
    help: "Time from the scheduled start of a check to its start.",
    buckets: [0.001, 0.01, 0.05, 0.1, 0.5, 1, 5, 30],
  });
  const counted = metrics.counters({
    row_changes_total: ["Row changes.", "weight"],
    results_dropped_stale_total: ["Results dropped because a newer one was known."],
    results_dropped_passive_off_total: ["Passive results dropped because passive checks are disabled."],
  });
  const commandLatency = metrics.histogram({
    name: "command_apply_latency_seconds",
    help: "Time from the acceptance of a command until its effects can be read.",
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5, 10],
  });
  return {
    ...journalMetrics(metrics),
    ...configurationMetrics(metrics),
    checkEnded(
      type: string,
      outcome: Outcome,
      { latencyMs, executionMs }: { readonly latencyMs: number; readonly executionMs: number },
    ) {
      latency.observe(latencyMs / 1000);
      checkEnded(type, outcome, executionMs);
    },
    rowsChanged(changes: readonly RowUpdate[]) {
      const urgent = changes.reduce((count, change) => count + Number(change.urgent), 0);
      counted.row_changes_total.inc({ weight: "changed" }, urgent);
      counted.row_changes_total.inc({ weight: "fresher" }, changes.length - urgent);
    },
    resultDropped: (why: DropReason) => counted[`results_dropped_${why}_total`].inc(),
    commandApplied: (latencyMs: number) => commandLatency.observe(latencyMs / 1000),
  };
}

function journalMetrics(metrics: Metrics) {
  const sync = metrics.histogram({
    name: "journal_sync_seconds",
    help: "Time that the journal took to make a batch durable.",
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1],
  });
  const counted = metrics.counters({
    state_changes_total: ["State changes, soft ones included, by kind of object.", "kind"],
    notifications_suppressed_total: ["Notifications that were not sent, by reason.", "reason"],
    journal_failures_total: ["Number of times that the journal began to fail."],
  });
  for (const kind of objectKinds) counted.state_changes_total.inc({ kind }, 0);
  return {
    synced: (ms: number) => sync.observe(ms / 1000),
    /** Counts recorded history: state changes and suppressed notifications. */
    recorded(entries: readonly HistoryEntry[]) {
      for (const { type, key, status, because } of entries)
        if (type === "state" && key !== undefined && status !== undefined)
          counted.state_changes_total.inc({ kind: key.kind });
        else if (type === "notification_suppressed")
          counted.notifications_suppressed_total.inc({ reason: because?.reason ?? "unknown" });
    },
    journalFailed: () => counted.journal_failures_total.inc(),
  };
}

function configurationMetrics(metrics: Metrics) {
  const reloads = metrics.counter({
    name: "config_loads_total",
    help: "Configuration documents loaded at the start and since, by outcome.",
    labels: ["outcome"],
  });
  const { loaded, evaluated } = documentMetrics(metrics, "configuration document");
  return {
    /** Records the time that the evaluation of a configuration document took. */
    configEvaluated: evaluated,
    reloaded(successful: boolean, atMs: number) {
      reloads.inc({ outcome: successful ? "applied" : "refused" });
      loaded(successful, atMs);
    },
  };
}
