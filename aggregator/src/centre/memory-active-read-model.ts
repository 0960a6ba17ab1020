import { Ingest, type IngestOptions } from "../ingest/ingest.ts";
import { rereadRealm, silentEvents } from "../ingest/reread-realm.ts";
import type { FedModel } from "../port-host/fed-models.ts";
import type { RealmWrite } from "../realms/realm-write.ts";
import type { RealmsPlan } from "../realms/realms-document.ts";
import { type ActiveReadModel, openHeldModel } from "./active-read-model.ts";

type MemoryActiveReadModelOptions = Pick<IngestOptions, "bus" | "clock" | "log" | "historyRetentionMs" | "events"> & {
  readonly plan: RealmsPlan;
  readonly fed: FedModel;
};

/** Opens a read model without Redis: each start reads all messages of the streams. */
export function openMemoryReadModel(options: MemoryActiveReadModelOptions): ActiveReadModel {
  const { plan, fed } = options;
  const { writer, held } = openHeldModel(fed);
  /** Sequence of the message that each realm was forgotten, which may be delivered again. */
  const forgotten = new Map<string, number>();

  /** [FD92] */
  function forget(realm: string, seq: number): void {
    if (seq === forgotten.get(realm)) return;
    forgotten.set(realm, seq);
    // At a start the message is older than all rows, which are those of the realm as it is now.
    if (held.evidence.of(realm).rows > 0) options.events.onForgotten(realm);
    writer.forgetRealm(realm);
  }
  const isListed = (realm: string): boolean => plan.has(realm);
  async function write(batch: RealmWrite): Promise<void> {
    const { realm, forgottenSeq, changes, completeEpoch, catalogParts, records } = batch;
    if (forgottenSeq !== undefined) forget(realm, forgottenSeq);
    writer.apply(changes);
    if (completeEpoch !== undefined) writer.dropRealmRowsBelow(realm, completeEpoch);
    writer.applyCatalogParts(realm, catalogParts);
    await fed.addHistory(records);
  }
  const ingest = new Ingest({ ...options, isListed, consumerPrefix: undefined, write });
  return {
    plan,
    ...held,
    canAnswer: () => ingest.caughtUp(),
    isRebuilding: () => !ingest.caughtUp(),
    storeError: () => ingest.error(),
    readAgain: (realm) => rereadRealm(realm, { ...options, isListed, write, events: silentEvents }),
    incompleteReason: () => (ingest.caughtUp() ? undefined : incompleteReasonOf(ingest.error())),
    historyIncompleteReason: () =>
      ingest.historyCaughtUp() ? undefined : "the history is being read from NATS since this aggregator's start",
    unreadableHistories: () => new Map(),
    realmsToRebuild: async () => [],
    close() {
      fed.close();
      return ingest.close();
    },
  };
}

const incompleteReasonOf = (error: string): string =>
  error === "" ? "the read model is being filled from NATS" : `the read model cannot be filled from NATS: ${error}`;
