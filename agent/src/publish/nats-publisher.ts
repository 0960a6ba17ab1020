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
import { timestampToProto } from "@realmwatch/shared/wire/fields/time";
import { catalogSubject, epochSubject, stateStream } from "@realmwatch/shared/wire/nats/nats-subjects";
import type { NatsConnection } from "nats";
import { type BrokerState, readBrokerState } from "./broker-state.ts";
import { mintEpoch } from "./epoch.ts";
import { openEventPublisher, type PublishedHistorySource } from "./event-publisher.ts";
import { type DuplicateAgent, startHeartbeatSender, watchForDuplicateAgent } from "./heartbeat.ts";
import { openJetStreamSender } from "./jetstream-sender.ts";
import { openRowPublisher } from "./row-publisher.ts";

export type PublisherSource = {
  readonly realm: string;
  /** Unique id of this process among all that ever publish the realm. */
  readonly instance: string;
  readonly version: string;
  /** Every current row with the current epoch. Read in slices while changes continue. */
  allRows(): Iterable<RowChange>;
  catalog(): Catalog;
  counts(): {
    readonly hosts: number;
    readonly services: number;
    readonly processes: number;
    readonly configHash: string;
  };
  readonly history: PublishedHistorySource & {
    /** Makes the next record's sequence number greater than `seq`. */
    skipHistoryTo(seq: number): Promise<Result<{ readonly lastHistorySeq: number }, Refusal>>;
  };
  /** Sequence number of the last history record at the start. */
  readonly lastHistorySeq: number;
};

export type PublisherOptions = {
  readonly bus: NatsBus;
  readonly clock: Clock;
  readonly log: Pick<Log, "info" | "warn" | "error">;
  readonly source: PublisherSource;
  /** Epoch minted at the start (`mintEpoch`) and stored in the data directory. */
  readonly epoch: number;
  /** Called with a newly minted epoch, to be stored and set on all rows, before `allRows` is read again. */
  onEpoch(epoch: number): void;
};

export type PublisherState = {
  /** Reason why nothing is published now; empty when publishing works. */
  readonly error: string;
  readonly epoch: number;
  /** True when all rows of the epoch have been stored. */
  readonly complete: boolean;
  /** Number of objects with a row that has not been stored. */
  readonly waitingRows: number;
  readonly inFlight: number;
  /** Number of history records that have not been stored. */
  readonly waitingEvents: number;
  /** Time of the oldest of them, Unix ms; undefined when none waits. */
  readonly oldestEventAtMs: number | undefined;
  /** Numbers of messages since the start. `refused` ones were too large for the broker. */
  readonly stored: number;
  readonly failed: number;
  readonly refused: number;
  /** Instance id of another agent of the same realm; undefined when there is none. */
  readonly duplicateInstance: string | undefined;
};

/** Publishes a realm to NATS. No method blocks or throws; without a connection the newest row of each object waits. */
export interface RealmPublisher {
  /** Publishes changes: `urgent` ones at once, others at most once in 10 s for each object. */
  rows(changes: readonly { readonly change: RowChange; readonly urgent: boolean }[]): void;
  catalogChanged(): void;
  historyAdvanced(lastSeq: number): void;
  state(): PublisherState;
  close(): Promise<void>;
}

/** Interval of comparisons with the streams, since a purge causes no event; after a failure it is shorter. ms */
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
  const rows = openRowPublisher({ realm, clock, sender, onStored: noteStored });
  const events = openEventPublisher({ realm, clock, sender, source: source.history, lastSeq: source.lastHistorySeq });
  const heartbeats = startHeartbeatSender({
    ...{ bus, clock, realm, instance: source.instance, version: source.version },
    content: () => ({ epoch, revision: rows.revision(), eventSeq: events.lastSeq(), ...source.counts() }),
  });
  const stopDuplicateWatch = watchForDuplicateAgent({
    bus,
    clock,
    realm,
    instance: source.instance,
    onChange: onDuplicateChange,
  });
  const stopUp = bus.onUp(reconcileNow);
  sender.onStreamMissing(reconcileNow);

  function reconcileNow(): void {
    cancelReconcile();
    const connection = bus.live();
    if (reconciling || closing.signal.aborted || !connection) return;
    reconciling = true;
    void reconcile(connection).then((succeeded) => {
      reconciling = false;
      if (closing.signal.aborted) return;
      cancelReconcile = clock.after(succeeded ? reconcileEveryMs : retryMs, reconcileNow);
      retryMs = succeeded ? firstRetryMs : Math.min(longestRetryMs, retryMs * 2);
    });
  }

  /** Compares the streams with the realm and publishes what they lack. Returns false when that failed. */
  async function reconcile(connection: NatsConnection): Promise<boolean> {
    try {
      await events.ready;
      // Read before the request: messages stored while the broker answers must not look lost.
      const known = { streamSeq: storedStreamSeq, eventSeq: events.cursor() };
      const stored = await readBrokerState(connection, realm);
      for (const problem of stored.problems) log.warn({ problem }, "publisher: a stream is misconfigured");
      if (!closing.signal.aborted) await reconcileState(stored, known);
      return true;
    } catch (error) {
      if (closing.signal.aborted) return false;
      const why = error instanceof Error ? error.message : String(error);
      log.warn({ realm, why }, "publisher: cannot read this realm's state from NATS, retrying");
      // The rows are useful without the comparison; a greater epoch is looked up at the retry.
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
    // The journal is an older copy: the centre would take its next records for ones that it already has.
    log.warn(
      { realm, stored, own: events.lastSeq() },
      "publisher: NATS has newer history of this realm than its journal",
    );
    const skipped = await source.history.skipHistoryTo(stored);
    if (skipped.ok) events.advanced(skipped.value.lastHistorySeq);
  }

  /** Mints an epoch above `greatestKnown` and publishes all rows: rows of a smaller epoch would be ignored. */
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

  /** Publishes the epoch marker. `rowCount` undefined: the epoch has begun; else all of its rows are stored. */
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

  /** Sends until the message is stored. Returns false when it is refused or no longer `wanted`, or at close. */
  async function sendUntilStored(subject: string, data: () => Uint8Array, wanted: () => boolean): Promise<boolean> {
    for (;;) {
      await sender.whenOpen(closing.signal);
      if (closing.signal.aborted || !wanted()) return false;
      const sent = await sender.send({ subject, data: data() });
      if (sent.kind === "stored" && sent.stream === stateStream.name) noteStored(sent.streamSeq);
      if (sent.kind !== "unknown") return sent.kind === "stored";
    }
  }

  /** Yields to another agent with a greater epoch, and publishes again when that agent is gone. */
  function onDuplicateChange(changed: DuplicateAgent | undefined): void {
    const followed = duplicate !== undefined && duplicate.epoch > epoch ? duplicate : undefined;
    duplicate = changed;
    if (changed)
      log.error(
        { realm, instance: changed.instance, epoch: changed.epoch },
        "publisher: another agent publishes this realm",
      );
    sender.setHeld(changed !== undefined && changed.epoch > epoch);
    if (changed === undefined && followed) renewEpoch(followed.epoch);
  }

  return {
    rows: (changes) => rows.put(changes),
    catalogChanged() {
      if (announced) void sendCatalog();
    },
    historyAdvanced: (lastSeq) => events.advanced(lastSeq),
    state: () => ({
      error:
        bus.connectionError() ||
        sender.lastError() ||
        (duplicate && duplicate.epoch > epoch ? "another agent publishes this realm" : ""),
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

/** Deterministic number in [0, 1) that differs between instances. */
const jitterOf = (instance: string): number =>
  [...instance].reduce((sum, char) => (sum * 31 + (char.codePointAt(0) ?? 0)) % 1_000, 7) / 1_000;
