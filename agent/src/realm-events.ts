import type { Log } from "@realmwatch/shared/platform/log/log";
import type { MemoryReadModel } from "@realmwatch/shared/read-model/memory-read-model";
import type { AgentMetrics } from "./agent-metrics.ts";
import type { MetricRecording } from "./metric-queries/metric-recording.ts";
import type { OutboundActions } from "./outbound-actions.ts";
import type { RealmPublisher } from "./publish/nats-publisher.ts";
import type { RealmOptions } from "./realm/open-realm.ts";
import type { Sinks } from "./sink-worker/open-sinks.ts";

/** Receivers of a realm's output that can only be opened after the realm. */
type LateReceivers = {
  readonly outbound?: Pick<OutboundActions, "notify" | "handle">;
  readonly publisher?: Pick<RealmPublisher, "rows" | "catalogChanged" | "historyAdvanced"> | undefined;
};

export type RealmEvents = {
  /** Listeners for `openRealm`. Each output goes first to the read model, then to the late receivers. */
  readonly listeners: RealmOptions["listeners"];
  /** Adds receivers. Call it before the realm starts: until then it has no notifications and no handler calls. */
  connect(receivers: LateReceivers): void;
  /** Sequence number of the newest history record. */
  lastHistorySeq(): number;
};

type RealmEventsOptions = {
  readonly model: Pick<MemoryReadModel, "apply" | "setCatalog">;
  readonly measured: AgentMetrics;
  readonly log: Log;
  readonly sinks: Pick<Sinks, "perfdataReceived" | "takenCommandSeq" | "historyAdvanced" | "withProgress">;
  readonly recording: Pick<MetricRecording, "perfdataReceived" | "rowsChanged">;
  readonly lastHistorySeq: number;
};

/** Distributes the output of a realm to the read model, metrics, the log and the receivers that are opened later. */
export function realmEvents({ model, measured, log, sinks, recording, ...stored }: RealmEventsOptions): RealmEvents {
  let late: LateReceivers = {};
  let lastHistorySeq = stored.lastHistorySeq;
  return {
    listeners: {
      rowsChanged(changes) {
        model.apply(changes.map(({ change }) => change));
        measured.rowsChanged(changes);
        recording.rowsChanged(changes);
        late.publisher?.rows(changes);
      },
      catalogChanged(catalog) {
        model.setCatalog(sinks.withProgress(catalog));
        late.publisher?.catalogChanged();
      },
      historyAdvanced(seq) {
        lastHistorySeq = seq;
        sinks.historyAdvanced(seq);
        late.publisher?.historyAdvanced(seq);
      },
      journalFailed(why) {
        measured.journalFailed();
        log.error({ why }, "the journal accepts no writes; commands are refused, checks go on");
      },
      journalHealed: () => log.info("the journal accepts writes again; everything that waited is on disk"),
      clockJumped: (byMs) => log.warn({ bySeconds: Math.round(byMs / 1000) }, "the wall clock of this machine was set"),
      notify: (notifications) => late.outbound?.notify(notifications),
      handle: (calls) => late.outbound?.handle(calls),
      perfdataReceived(samples, commandSeq) {
        sinks.perfdataReceived(samples, commandSeq);
        recording.perfdataReceived(samples);
      },
      takenCommandSeq: sinks.takenCommandSeq,
      resultDropped: measured.resultDropped,
      commandApplied: measured.commandApplied,
      checkEnded: measured.checkEnded,
    },
    connect(receivers) {
      late = { ...late, ...receivers };
    },
    lastHistorySeq: () => lastHistorySeq,
  };
}
