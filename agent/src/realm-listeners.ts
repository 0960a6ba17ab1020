import type { Log } from "@realmwatch/shared/platform/log/log";
import type { MemoryReadModel } from "@realmwatch/shared/read-model/memory-read-model";
import type { AgentMetrics } from "./agent-metrics.ts";
import type { OutboundActions } from "./outbound-actions.ts";
import type { RealmPublisher } from "./publish/nats-publisher.ts";
import type { RealmOptions } from "./realm/open-realm.ts";

export type RealmListenerOptions = {
  readonly model: Pick<MemoryReadModel, "apply" | "setCatalog">;
  readonly measured: AgentMetrics;
  readonly outgoing: Pick<OutboundActions, "notify" | "handle">;
  readonly log: Log;
  /** Returns undefined until the publisher is open, and always without NATS. */
  publisher(): RealmPublisher | undefined;
  /** Called with the sequence number of the newest history record. */
  advanced(seq: number): void;
};

/** Listeners of a realm, in this order: read model, publisher, contacts, metrics and log. */
export function realmListeners(parts: RealmListenerOptions): RealmOptions["listeners"] {
  const { model, measured, outgoing, log, publisher, advanced } = parts;
  return {
    rowsChanged(changes) {
      model.apply(changes.map(({ change }) => change));
      measured.rowsTold(changes);
      publisher()?.rows(changes);
    },
    catalogChanged(catalog) {
      model.setCatalog(catalog);
      publisher()?.catalogChanged();
    },
    historyAdvanced(seq) {
      advanced(seq);
      publisher()?.historyAdvanced(seq);
    },
    journalFailed(why) {
      measured.journalFailed();
      log.error({ why }, "the journal accepts no writes; commands are refused, checks go on");
    },
    journalHealed: () => log.info("the journal accepts writes again; everything that waited is on disk"),
    clockJumped: (byMs) => log.warn({ bySeconds: Math.round(byMs / 1000) }, "the wall clock of this machine was set"),
    notify: (notifications) => outgoing.notify(notifications),
    handle: (calls) => outgoing.handle(calls),
    resultDropped: measured.resultDropped,
    checkEnded: (type, outcome, timing) => measured.checkEnded(type, outcome, timing),
  };
}
