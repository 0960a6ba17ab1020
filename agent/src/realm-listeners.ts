import type { Log } from "@realmwatch/shared/platform/log/log";
import type { AgentMetrics } from "./agent-metrics.ts";
import type { MetricRecording } from "./metric-recording.ts";
import type { OutboundActions } from "./outbound-actions.ts";
import type { AgentPortHost } from "./port-host/agent-port-host.ts";
import type { AppliedCommands } from "./port-host/applied-commands.ts";
import type { RealmPublisher } from "./publish/nats-publisher.ts";
import type { RealmListeners } from "./realm/open-realm.ts";
import type { Sinks } from "./sink-worker/sinks.ts";

type RealmOutputs = {
  readonly port: Pick<AgentPortHost, "rowsChanged" | "catalogChanged">;
  readonly commands: Pick<AppliedCommands, "applied">;
  readonly measured: AgentMetrics;
  readonly log: Log;
  readonly sinks: Pick<Sinks, "perfdataReceived" | "takenCommandSeq" | "historyAdvanced">;
  readonly recording: Pick<MetricRecording, "perfdataReceived" | "rowsChanged">;
  readonly outbound: Pick<OutboundActions, "notify" | "handle">;
  /** Undefined without `-nats-url`. */
  readonly publisher: Pick<RealmPublisher, "rows" | "catalogChanged" | "historyAdvanced"> | undefined;
};

/** Distributes what a realm does: first to the port, then to metrics, the log, sinks and the other outputs. */
export function realmListeners(outputs: RealmOutputs): RealmListeners {
  const { port, commands, measured, log, sinks, recording, outbound, publisher } = outputs;
  return {
    rowsChanged(changes) {
      port.rowsChanged(changes.map(({ change }) => change));
      measured.rowsChanged(changes);
      recording.rowsChanged(changes);
      publisher?.rows(changes);
    },
    catalogChanged() {
      port.catalogChanged();
      publisher?.catalogChanged();
    },
    historyAdvanced(seq, entries) {
      measured.recorded(entries);
      sinks.historyAdvanced(seq);
      publisher?.historyAdvanced(seq);
    },
    journalFailed(why) {
      measured.journalFailed();
      log.error({ why }, "the journal accepts no writes; commands are refused, checks go on");
    },
    journalHealed: () => log.info("the journal accepts writes again; everything that waited is on disk"),
    clockJumped: (byMs) => log.warn({ bySeconds: Math.round(byMs / 1000) }, "the wall clock of this machine was set"),
    notify: outbound.notify,
    handle: outbound.handle,
    perfdataReceived(samples, commandSeq) {
      sinks.perfdataReceived(samples, commandSeq);
      recording.perfdataReceived(samples);
    },
    takenCommandSeq: () => sinks.takenCommandSeq(),
    resultDropped: measured.resultDropped,
    commandApplied(seq, latencyMs) {
      measured.commandApplied(latencyMs);
      commands.applied(seq);
    },
    checkEnded: measured.checkEnded,
  };
}
