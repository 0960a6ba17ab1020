import { toBinary } from "@bufbuild/protobuf";
import { RealmCatalogSchema, RealmEpochSchema } from "@realmwatch/proto/svc/v1/state_pb";
import type { Catalog } from "@realmwatch/shared/model/catalog";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import type { Result } from "@realmwatch/shared/model/result";
import type { RowChange } from "@realmwatch/shared/model/row";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { realmCatalogOf } from "@realmwatch/shared/wire/catalog";
import { catalogSubject, epochSubject, stateStream } from "@realmwatch/shared/wire/nats/nats-subjects";
import { timestampOf } from "@realmwatch/shared/wire/fields/time";
import type { NatsConnection } from "nats";
import { mintEpoch } from "./epoch.ts";
import { type EventSource, openEventLane } from "./event-publisher.ts";
import { type Rival, startHeartbeats, watchForRival } from "./heartbeat.ts";
import { openRowLane } from "./row-publisher.ts";
import { openSender } from "./jetstream-sender.ts";
import { readStored, type StoredState } from "./broker-state.ts";

export type PublishSource = {
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
  readonly history: EventSource & {
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
  readonly source: PublishSource;
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
  readonly kept: number;
  readonly failed: number;
  readonly refused: number;
  /** Instance of another agent that speaks for the same realm; undefined where there is none. */
  readonly rival: string | undefined;
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
const reviewEveryMs = 60_000;
const firstReviewAgainMs = 1_000;
const longestReviewAgainMs = 15_000;

export function openRealmPublisher(options: PublisherOptions): RealmPublisher {
  const { bus, clock, log, source } = options;
  const { realm } = source;
  const closing = new AbortController();
  const sender = openSender({ bus, clock, log, jitter: jitterOf(source.instance) });
  let epoch = options.epoch;
  let announced = false;
  let complete = false;
  let catalogRevision = 0;
  let keptStreamSeq = 0;
  let rival: Rival | undefined;
  let reviewing = false;
  let reviewAgainMs = firstReviewAgainMs;
  let cancelReview = (): void => {};

  const keptAt = (streamSeq: number): void => {
    keptStreamSeq = Math.max(keptStreamSeq, streamSeq);
  };
  const rows = openRowLane({ realm, clock, sender, onKept: keptAt });
  const events = openEventLane({ realm, clock, sender, source: source.history, lastSeq: source.lastHistorySeq });
  const heartbeats = startHeartbeats({
    ...{ bus, clock, realm, instance: source.instance, version: source.version },
    pulse: () => ({ epoch, revision: rows.revision(), eventSeq: events.lastSeq(), ...source.counts() }),
  });
  const stopRival = watchForRival({ bus, clock, realm, instance: source.instance, onChange: meetRival });
  const stopUp = bus.onUp(reviewNow);
  sender.onStreamless(reviewNow);

  function reviewNow(): void {
    cancelReview();
    const connection = bus.live();
    if (reviewing || closing.signal.aborted || !connection) return;
    reviewing = true;
    void review(connection).then((worked) => {
      reviewing = false;
      if (closing.signal.aborted) return;
      cancelReview = clock.after(worked ? reviewEveryMs : reviewAgainMs, reviewNow);
      reviewAgainMs = worked ? firstReviewAgainMs : Math.min(longestReviewAgainMs, reviewAgainMs * 2);
    });
  }

  /** Looks at what the broker has and brings it to what it should have. Whether that was possible. */
  async function review(connection: NatsConnection): Promise<boolean> {
    try {
      await events.ready;
      // What arrives while the broker answers must not look like something that it lost.
      const known = { streamSeq: keptStreamSeq, eventSeq: events.cursor() };
      const stored = await readStored(connection, realm);
      for (const problem of stored.problems) log.warn({ problem }, "publisher: a stream cannot work as it is");
      if (!closing.signal.aborted) await compare(stored, known);
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

  async function compare(stored: StoredState, known: { streamSeq: number; eventSeq: number }): Promise<void> {
    await compareEvents(stored.lastEventSeq, known.eventSeq);
    if (stored.epoch && stored.epoch.epoch > epoch) return renew(stored.epoch.epoch);
    const marked = stored.epoch?.epoch === epoch && stored.epoch.complete;
    if (!announced || (complete && !marked) || stored.lastStreamSeq < known.streamSeq) publishAll();
  }

  async function compareEvents(stored: number, known: number): Promise<void> {
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
  function renew(greatestKnown: number): void {
    if (greatestKnown < epoch) return;
    epoch = mintEpoch(clock.now(), greatestKnown);
    log.info({ realm, epoch }, "publisher: a greater epoch was in use, all rows are published again");
    options.onEpoch(epoch);
    publishAll();
  }

  function publishAll(): void {
    [announced, complete, keptStreamSeq] = [true, false, 0];
    const of = epoch;
    heartbeats.beat();
    rows.renumber(of);
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
        at: timestampOf(clock.now()),
      });
    const isCurrent = () => of === epoch && rows.passing() === (rowCount === undefined);
    if (!(await sendUntilKept(epochSubject(realm), marker, isCurrent)) || rowCount === undefined) return;
    if (!isCurrent()) return;
    complete = true;
    log.info({ realm, epoch, rows: rowCount }, "publisher: all rows are published");
  }

  async function sendCatalog(): Promise<void> {
    const revision = ++catalogRevision;
    const message = () =>
      toBinary(RealmCatalogSchema, realmCatalogOf(source.catalog(), { realm, epoch, revision, atMs: clock.now() }));
    await sendUntilKept(catalogSubject(realm), message, () => revision === catalogRevision);
  }

  /** Whether it arrived; false where it is no longer wanted. */
  async function sendUntilKept(subject: string, data: () => Uint8Array, wanted: () => boolean): Promise<boolean> {
    for (;;) {
      await sender.opened(closing.signal);
      if (closing.signal.aborted || !wanted()) return false;
      const sent = await sender.send({ subject, data: data() });
      if (sent.kind === "kept" && sent.stream === stateStream.name) keptAt(sent.streamSeq);
      if (sent.kind !== "unknown") return sent.kind === "kept";
    }
  }

  /** Of two agents of one realm the later one, whose epoch is greater, speaks; the other one waits until it is alone. */
  function meetRival(met: Rival | undefined): void {
    const yielded = rival !== undefined && rival.epoch > epoch ? rival : undefined;
    rival = met;
    if (met)
      log.error({ realm, instance: met.instance, epoch: met.epoch }, "publisher: another agent speaks for this realm");
    sender.hold(met !== undefined && met.epoch > epoch);
    if (met === undefined && yielded) renew(yielded.epoch);
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
        sender.trouble() ||
        (rival && rival.epoch > epoch ? "another agent speaks for this realm" : ""),
      epoch,
      complete,
      waitingRows: rows.waiting(),
      inFlight: rows.inFlight(),
      waitingEvents: Math.max(0, events.lastSeq() - events.cursor()),
      oldestEventAtMs: events.oldestAtMs(),
      ...sender.counts,
      rival: rival?.instance,
    }),
    async close() {
      closing.abort();
      stopUp();
      stopRival();
      cancelReview();
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
