import type { Metrics } from "@realmwatch/shared/platform/metrics/metrics";
import { commandQueueCapacity } from "./api/command-intake.ts";
import { countMissingRecords } from "./journal/damage/missing-records.ts";
import type { AgentPortHost } from "./port-host/agent-port-host.ts";
import type { OpenRealm } from "./realm/open-realm.ts";
import type { RecoveredJournal } from "./recovered-journal.ts";

type AgentGaugeSources = {
  readonly open: Pick<OpenRealm, "inputs" | "loop" | "scheduler">;
  readonly recovered: Pick<RecoveredJournal, "journal" | "kept">;
  readonly port: Pick<AgentPortHost, "restarts">;
  auditLost(): number;
  /** Value of `-max-concurrent-checks`. */
  readonly maxConcurrentChecks: number;
};

/** Registers the metrics whose values are read at each scrape. */
export function registerAgentGauges(metrics: Metrics, sources: AgentGaugeSources): void {
  const { open, recovered, port, auditLost, maxConcurrentChecks } = sources;
  const { inputs, loop, scheduler } = open;
  const { journal, kept } = recovered;
  metrics.observableCounters({
    journal_recovered_truncations_total: [
      "Starts at which the end of the journal was missing and the journal went on without it.",
      () => Number(kept.missing !== undefined),
    ],
    port_restarts_total: ["Threads of the port that ended or hung and were replaced.", () => port.restarts],
  });
  metrics.observableGauges({
    checks_in_flight: ["Checks running now.", () => scheduler.runningCount],
    check_places: ["Maximum number of concurrent checks.", () => maxConcurrentChecks],
    checks_waiting: ["Checks that are due and wait for a free slot.", () => scheduler.waitingCount],
    scheduler_lag_seconds: [
      "Delay of the check that is due for longest; 0 when none is late.",
      () => scheduler.lagMs / 1000,
    ],
    engine_queue_length: ["Inputs waiting for the engine.", () => loop.inputsWaiting],
    command_queue_length: ["Commands accepted and not yet applied.", () => inputs.commandsWaiting],
    command_queue_capacity: [
      "Number of commands that may wait; further ones are rejected.",
      () => commandQueueCapacity,
    ],
    journal_writable: ["1 while the journal accepts writes.", () => Number(journal.health().writable)],
    journal_bytes: ["Size of the journal on disk.", () => journal.health().bytes],
    journal_records_missing: [
      "Records and commands missing from the journal at the last start.",
      () => (kept.missing === undefined ? 0 : countMissingRecords(kept.missing)),
    ],
    journal_records_damaged: [
      "Damaged history and audit records found since the start, up to 1000.",
      () => journal.health().damagedRecords,
    ],
    data_dir_free_bytes: ["Free space on the data directory's disk.", () => journal.health().freeBytes],
    audit_records_lost: [
      "Audit records missing at the start, or lost since because neither disk nor memory could hold them.",
      auditLost,
    ],
  });
}
