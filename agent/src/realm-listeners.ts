import type { Log } from "@realmwatch/shared/platform/log/log";
import type { MemoryReadModel } from "@realmwatch/shared/read-model/memory-read-model";
import type { AgentMetrics } from "./agent-metrics.ts";
import type { Outgoing } from "./outgoing.ts";
import type { RealmPublisher } from "./publish/nats-publisher.ts";
import type { RealmOptions } from "./realm/open-realm.ts";

export type ListenerParts = {
  readonly model: Pick<MemoryReadModel, "apply" | "setCatalog">;
  readonly measured: AgentMetrics;
  readonly outgoing: Pick<Outgoing, "notify" | "handle">;
  readonly log: Log;
  /** Undefined until there is one, and for good without a centre. */
  publisher(): RealmPublisher | undefined;
  /** The journal's history has grown to this place. */
  advanced(seq: number): void;
};

/** Who hears of what a realm does: readers first, then the centre, contacts, metrics and the log. */
export function realmListeners(parts: ListenerParts): RealmOptions["listeners"] {
  const { model, measured, outgoing, log, publisher, advanced } = parts;
  return {
    told(changes) {
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
      log.error({ why }, "the journal takes no writes: commands are refused, checks go on");
    },
    journalHealed: () => log.info("the journal takes writes again: all that waited is on disk"),
    clockJumped: (byMs) => log.warn({ bySeconds: Math.round(byMs / 1000) }, "the clock of this machine was set"),
    notify: (notifications) => outgoing.notify(notifications),
    handle: (calls) => outgoing.handle(calls),
    resultDropped: measured.resultDropped,
    checkEnded: (type, outcome, timing) => measured.checkEnded(type, outcome, timing),
  };
}
