import { toBinary } from "@bufbuild/protobuf";
import { RealmCatalogSchema, RealmEpochSchema } from "@realmwatch/proto/svc/v1/state_pb";
import type { Catalog } from "@realmwatch/shared/model/catalog";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import type { Result } from "@realmwatch/shared/model/result";
import type { RowChange } from "@realmwatch/shared/model/row";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { catalogToProto } from "@realmwatch/shared/wire/catalog";
import { catalogSubject, epochSubject, stateStream } from "@realmwatch/shared/wire/nats/nats-subjects";
import { timestampToProto } from "@realmwatch/shared/wire/fields/time";
import type { NatsConnection } from "nats";
import { mintEpoch } from "./epoch.ts";
import { type PublishedHistorySource, openEventPublisher } from "./event-publisher.ts";
import { type DuplicateAgent, startHeartbeatSender, watchForDuplicateAgent } from "./heartbeat.ts";
import { openRowPublisher } from "./row-publisher.ts";
import { openJetStreamSender } from "./jetstream-sender.ts";
import { readBrokerState, type BrokerState } from "./broker-state.ts";

export type PublisherSource = {
  readonly realm: string;
  /** Names this process among all that ever speak for the realm. */
  readonly instance: string;
  readonly version: string;
  /** Every current row, stamped with the current epoch. Read in slices while changes go on. */
  allRows(): Iterable<RowChange>;
  catalog(): Catalog;
  counts(): {
    readonly hosts: number;
    readonly services: number;
    readonly processes: number;
    readonly configHash: string;
  };
  readonly history: PublishedHistorySource & {
    /** Makes the next record's seq greater than `seq`. */
    skipHistoryTo(seq: number): Promise<Result<{ readonly lastHistorySeq: number }, Refusal>>;
  };
  /** Last record of the history at the start. */
  readonly lastHistorySeq: number;
};

export type PublisherOptions = {
  readonly bus: NatsBus;
  readonly clock: Clock;
  readonly log: Pick<Log, "info" | "warn" | "error">;
  readonly source: PublisherSource;
  /** Minted at the start (`mintEpoch`) and kept. */
  readonly epoch: number;
  /** A greater epoch had to be minted: keep it, and stamp rows with it from now on. Called before any row is read anew. */
  onEpoch(epoch: number): void;
};

export type PublisherState = {
  /** Why nothing is published just now; empty where all is well. */
  readonly trouble: string;
  readonly epoch: number;
  /** All rows of the epoch have arrived. */
  readonly complete: boolean;
  /** Objects with a row that has not arrived. */
  readonly waitingRows: number;
  readonly inFlight: number;
  /** History records that have not arrived. */
  readonly waitingEvents: number;
  /** When the oldest of them was made, Unix ms; undefined where none waits. */
  readonly oldestEventAtMs: number | undefined;
  /** Messages since the start. `refused` ones were too large for the broker. */
  readonly stored: number;
  readonly failed: number;
  readonly refused: number;
  /** Instance of another agent that speaks for the same realm; undefined where there is none. */
  readonly duplicateInstance: string | undefined;
};

/** What tells the centre of a realm. No method blocks or throws; while NATS is away the newest of each object waits. */
export interface RealmPublisher {
  /** `urgent` leaves at once, what is only fresher at most once in 10 s for each object. */
  rows(changes: readonly { readonly change: RowChange; readonly urgent: boolean }[]): void;
  catalogChanged(): void;
  historyAdvanced(lastSeq: number): void;
  state(): PublisherState;
  close(): Promise<void>;
}

/** A stream that somebody purged says nothing of it: it is looked at this often; after a failure sooner. ms */
const reconcileEveryMs = 60_000;
const firstRetryMs = 1_000;
const longestRetryMs = 15_000;

export function openRealmPublisher(options: PublisherOptions): RealmPublisher {
  const { bus, clock, log, source } = options;
  const { realm } = source;
  const closing = new AbortController();
  const sender = openJetStreamSender({ bus, clock, log, jitter: jitterOf(source.instance) });
  let epoch = options.epoch;
  let announced = false;
  let complete = false;
  let catalogRevision = 0;
  let storedStreamSeq = 0;
  let duplicate: DuplicateAgent | undefined;
  let reconciling = false;
  let retryMs = firstRetryMs;
  let cancelReconcile = (): void => {};

  const noteStored = (streamSeq: number): void => {
    storedStreamSeq = Math.max(storedStreamSeq, streamSeq);
  };
  const rows = openRowPublisher({ realm, clock, sender, onKept: noteStored });
  const events = openEventPublisher({ realm, clock, sender, source: source.history, lastSeq: source.lastHistorySeq });
  const heartbeats = startHeartbeatSender({
    ...{ bus, clock, realm, instance: source.instance, version: source.version },
    pulse: () => ({ epoch, revision: rows.revision(), eventSeq: events.lastSeq(), ...source.counts() }),
  });
  const stopDuplicateWatch = watchForDuplicateAgent({ bus, clock, realm, instance: source.instance, onChange: onDuplicateChange });
  const stopUp = bus.onUp(reconcileNow);
  sender.onStreamMissing(reconcileNow);

  function reconcileNow(): void {
    cancelReconcile();
    const connection = bus.live();
    if (reconciling || closing.signal.aborted || !connection) return;
    reconciling = true;
    void reconcile(connection).then((worked) => {
      reconciling = false;
      if (closing.signal.aborted) return;
      cancelReconcile = clock.after(worked ? reconcileEveryMs : retryMs, reconcileNow);
      retryMs = worked ? firstRetryMs : Math.min(longestRetryMs, retryMs * 2);
    });
  }

  /** Looks at what the broker has and brings it to what it should have. Whether that was possible. */
  async function reconcile(connection: NatsConnection): Promise<boolean> {
    try {
      await events.ready;
      // What arrives while the broker answers must not look like something that it lost.
      const known = { streamSeq: storedStreamSeq, eventSeq: events.cursor() };
      const stored = await readBrokerState(connection, realm);
      for (const problem of stored.problems) log.warn({ problem }, "publisher: a stream cannot work as it is");
      if (!closing.signal.aborted) await reconcileState(stored, known);
      return true;
    } catch (error) {
      if (closing.signal.aborted) return false;
      const why = error instanceof Error ? error.message : String(error);
      log.warn({ realm, why }, "publisher: cannot read what NATS has of this realm, trying again");
      // The rows are of use all the same; a greater epoch is looked for again.
      if (!announced) publishAll();
      return false;
    }
  }

  async function reconcileState(stored: BrokerState, known: { streamSeq: number; eventSeq: number }): Promise<void> {
    await reconcileEvents(stored.lastEventSeq, known.eventSeq);
    if (stored.epoch && stored.epoch.epoch > epoch) return renewEpoch(stored.epoch.epoch);
    const marked = stored.epoch?.epoch === epoch && stored.epoch.complete;
    if (!announced || (complete && !marked) || stored.lastStreamSeq < known.streamSeq) publishAll();
  }

  async function reconcileEvents(stored: number, known: number): Promise<void> {
    if (stored < known) return events.rewind(stored);
    if (stored <= events.lastSeq()) return;
    // The journal is an older copy: its next records would pass for ones that the centre has seen.
    log.warn(
      { realm, stored, own: events.lastSeq() },
      "publisher: NATS has newer history of this realm than its journal",
    );
    const skipped = await source.history.skipHistoryTo(stored);
    if (skipped.ok) events.advanced(skipped.value.lastHistorySeq);
  }

  /** Somebody knows a greater epoch than ours: rows of ours would lose against theirs. */
  function renewEpoch(greatestKnown: number): void {
    if (greatestKnown < epoch) return;
    epoch = mintEpoch(clock.now(), greatestKnown);
    log.info({ realm, epoch }, "publisher: a greater epoch was in use, all rows are published again");
    options.onEpoch(epoch);
    publishAll();
  }

  function publishAll(): void {
    [announced, complete, storedStreamSeq] = [true, false, 0];
    const of = epoch;
    heartbeats.sendNow();
    rows.startEpoch(of);
    rows.sendAll(source.allRows(), (count) => void sendMarker(of, count));
    void sendMarker(of, undefined);
    void sendCatalog();
  }

  /** `rowCount` undefined: the epoch has begun; else all of its rows have arrived. */
  async function sendMarker(of: number, rowCount: number | undefined): Promise<void> {
    const marker = () =>
      toBinary(RealmEpochSchema, {
        $typeName: "svc.v1.RealmEpoch",
        realm,
        epoch: BigInt(of),
        complete: rowCount !== undefined,
        rows: rowCount ?? 0,
        at: timestampToProto(clock.now()),
      });
    const isCurrent = () => of === epoch && rows.isPublishingAll() === (rowCount === undefined);
    if (!(await sendUntilStored(epochSubject(realm), marker, isCurrent)) || rowCount === undefined) return;
    if (!isCurrent()) return;
    complete = true;
    log.info({ realm, epoch, rows: rowCount }, "publisher: all rows are published");
  }

  async function sendCatalog(): Promise<void> {
    const revision = ++catalogRevision;
    const message = () =>
      toBinary(RealmCatalogSchema, catalogToProto(source.catalog(), { realm, epoch, revision, atMs: clock.now() }));
    await sendUntilStored(catalogSubject(realm), message, () => revision === catalogRevision);
  }

  /** Whether it arrived; false where it is no longer wanted. */
  async function sendUntilStored(subject: string, data: () => Uint8Array, wanted: () => boolean): Promise<boolean> {
    for (;;) {
      await sender.whenOpen(closing.signal);
      if (closing.signal.aborted || !wanted()) return false;
      const sent = await sender.send({ subject, data: data() });
      if (sent.kind === "kept" && sent.stream === stateStream.name) noteStored(sent.streamSeq);
      if (sent.kind !== "unknown") return sent.kind === "kept";
    }
  }

  /** Of two agents of one realm the later one, whose epoch is greater, speaks; the other one waits until it is alone. */
  function onDuplicateChange(met: DuplicateAgent | undefined): void {
    const yielded = duplicate !== undefined && duplicate.epoch > epoch ? duplicate : undefined;
    duplicate = met;
    if (met)
      log.error({ realm, instance: met.instance, epoch: met.epoch }, "publisher: another agent speaks for this realm");
    sender.setHeld(met !== undefined && met.epoch > epoch);
    if (met === undefined && yielded) renewEpoch(yielded.epoch);
  }

  return {
    rows: (changes) => rows.put(changes),
    catalogChanged() {
      if (announced) void sendCatalog();
    },
    historyAdvanced: (lastSeq) => events.advanced(lastSeq),
    state: () => ({
      trouble:
        bus.trouble() ||
        sender.lastError() ||
        (duplicate && duplicate.epoch > epoch ? "another agent speaks for this realm" : ""),
      epoch,
      complete,
      waitingRows: rows.waiting(),
      inFlight: rows.inFlight(),
      waitingEvents: Math.max(0, events.lastSeq() - events.cursor()),
      oldestEventAtMs: events.oldestAtMs(),
      ...sender.counts,
      duplicateInstance: duplicate?.instance,
    }),
    async close() {
      closing.abort();
      stopUp();
      stopDuplicateWatch();
      cancelReconcile();
      heartbeats.close();
      rows.close();
      sender.close();
      await events.close();
    },
  };
}

/** A number in [0, 1) that differs between agents and needs no chance. */
const jitterOf = (instance: string): number =>
  [...instance].reduce((sum, char) => (sum * 31 + (char.codePointAt(0) ?? 0)) % 1_000, 7) / 1_000;
