import type { Catalog } from "@realmwatch/shared/model/catalog";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { PairStatus } from "@realmwatch/shared/model/pair-status";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import type { Result } from "@realmwatch/shared/model/result";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import type { RowChange } from "@realmwatch/shared/row/row";
import { stateStream } from "@realmwatch/shared/wire/nats/nats-subjects";
import { describeUnpublished } from "@realmwatch/shared/wire/unpublished";
import { watchCapturingStreams } from "./capturing-streams.ts";
import { CatalogPublisher } from "./catalog-publisher.ts";
import { EventPublisher, type PublishedHistorySource } from "./event-publisher.ts";
import { AggregatorAnswers } from "./heartbeat/aggregator-answers.ts";
import { type HeartbeatContent, type HeartbeatSource, openHeartbeatSender } from "./heartbeat/heartbeat.ts";
import type { SequenceNumbers } from "./heartbeat/heartbeat-answer.ts";
import { type OlderCopy, openOlderCopyDetection } from "./heartbeat/older-copy.ts";
import { JetStreamSender } from "./jetstream-sender.ts";
import { FullPublication } from "./rows/full-publication.ts";
import { RowPublisher } from "./rows/row-publisher.ts";
import { UnpublishedItems } from "./unpublished-items.ts";

type PublisherSource = HeartbeatSource & {
  /** Every current row with the current epoch. Read in slices while changes continue. */
  allRows(): Iterable<RowChange>;
  catalog(): Catalog;
  counts(): Pick<HeartbeatContent, "hosts" | "services" | "processes" | "configHash">;
  readonly history: PublishedHistorySource;
  /** Sequence number of the last history record now. */
  readonly lastHistorySeq: number;
  /** Newest record and command of the journal when the agent started. */
  readonly atStart: SequenceNumbers;
  /** Notes that the journal is an older copy, and continues its numbers after those that the aggregator has seen. */
  onOlderCopy(copy: OlderCopy): Promise<Result<{ readonly lastHistorySeq: number }, Refusal>>;
  /** Records that are lost because the agent started on an older copy of its data; empty for none. */
  restoredCopy(): string;
  /** Pair of agents that serves the realm. Default: none. */
  pair?(): PairStatus | undefined;
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
  /** Called with the time that NATS took to acknowledge a message, ms. Default: not called. */
  readonly acknowledged?: (tookMs: number) => void;
};

export type PublisherState = ReturnType<typeof stateOf>;

/** Time within which an aggregator's first answer is awaited before publishing begins, ms. */
const firstAnswerWithinMs = 1_000;

/**
 * Publishes a realm to NATS. No method blocks or throws; without a connection the newest row of each object waits.
 * Publishes only with publish permission on the realm's own subjects, and asks JetStream nothing. What the agent must
 * know of the streams and of other agents of its realm arrives in the answers to its heartbeats.
 */
export function openRealmPublisher(options: PublisherOptions) {
  const { bus, clock, source } = options;
  const { realm, instance, previousInstance, version } = source;
  const closing = new AbortController();
  const parts = openParts(options, closing.signal, () => heartbeats.sendNow());
  const { sender, rows, events, catalog, answers, capturing } = parts;
  const heartbeats = openHeartbeatSender({
    ...{ bus, clock, source: { realm, instance, previousInstance, version } },
    acknowledged: () => rows.acknowledged(),
    catalog: () => catalog.claim(),
    unstoredMs: () => unstoredMsOf(parts),
    isWaiting: () => answers.isWaiting(),
    content: () => heartbeatContent(parts, source),
    onAnswer: (answer) => answers.answered(answer),
    onUnanswered: () => answers.unanswered(),
  });
  let cancelWait = (): void => {};
  let stopUp = (): void => {};
  return {
    /** Begins to publish. What is passed to the other methods before waits. */
    start() {
      heartbeats.start();
      stopUp = bus.onUp(() => {
        cancelWait();
        cancelWait = clock.after(firstAnswerWithinMs, () => answers.unanswered());
      });
    },
    /** Publishes changes: `urgent` ones at once, others at most once in 10 s for each object. */
    rows: (changes: readonly { readonly change: RowChange; readonly urgent: boolean }[]) => rows.put(changes),
    catalogChanged: () => catalog.publish(),
    historyAdvanced: (lastSeq: number) => events.advanced(lastSeq),
    state: () => stateOf(parts, bus),
    async close() {
      closing.abort();
      stopUp();
      cancelWait();
      heartbeats.close();
      capturing.close();
      rows.close();
      catalog.close();
      sender.close();
      await events.close();
    },
  };
}

/** @param onEpochBegun called when the rows of a new epoch begin to be published */
function openParts(options: PublisherOptions, closing: AbortSignal, onEpochBegun: () => void) {
  const { bus, clock, log, source } = options;
  const { realm, instance, previousInstance } = source;
  const sender = new JetStreamSender({
    ...{ bus, clock, log },
    jitter: jitterOf(instance),
    acknowledged: options.acknowledged,
  });
  const unpublished = new UnpublishedItems();
  const rows = new RowPublisher({ realm, clock, sender, unpublished });
  const events = new EventPublisher({
    ...{ realm, clock, sender, unpublished },
    source: source.history,
    lastSeq: source.lastHistorySeq,
  });
  const catalog = new CatalogPublisher({ realm, clock, sender, unpublished, catalog: () => source.catalog() });
  const publication = new FullPublication({
    ...{ realm, clock, log, sender, rows, catalog, closing, firstEpoch: options.epoch },
    allRows: () => source.allRows(),
    onEpoch: options.onEpoch,
    onEpochBegun,
  });
  const olderCopy = openOlderCopyDetection({
    ...{ realm, log, events, atStart: source.atStart, hasPublished: () => publication.isBegun() },
    lastCommandSeq: () => source.history.lastCommandSeq(),
    onOlderCopy: (copy) => source.onOlderCopy(copy),
  });
  const answers = new AggregatorAnswers({
    ...{ realm, instance, previousInstance, clock, log, sender, publication, events, olderCopy },
  });
  sender.onStreamReset((stream) => (stream === stateStream.name ? answers.rowsLost() : answers.historyLost()));
  const capturing = watchCapturingStreams({ realm, bus, clock, log });
  return { sender, unpublished, rows, events, catalog, publication, olderCopy, answers, capturing };
}

type PublisherParts = ReturnType<typeof openParts>;

const unstoredMsOf = ({ rows, catalog }: Pick<PublisherParts, "rows" | "catalog">): number =>
  Math.max(rows.unstoredMs(), catalog.unstoredMs());

function heartbeatContent(parts: PublisherParts, source: PublisherSource): HeartbeatContent {
  const { sender, rows, events, publication, olderCopy, answers, capturing } = parts;
  return {
    epoch: publication.epoch(),
    revision: rows.revision(),
    newest: olderCopy.own(),
    ...source.counts(),
    error: answers.error() || sender.lastError(stateStream.name) || capturing.problem(),
    firstEventSeq: events.firstSeq(),
    unpublished: parts.unpublished.list(),
    restoredCopy: source.restoredCopy(),
    pair: source.pair?.(),
  };
}

function stateOf(parts: PublisherParts, bus: NatsBus) {
  const { sender, rows, events, catalog, publication, answers, capturing } = parts;
  const { counts } = sender;
  return {
    ...counts,
    /** Reason why nothing is published now, or why it may not reach the centre; empty when publishing works. */
    error:
      bus.connectionError() || answers.heldReason() || answers.error() || sender.lastError() || capturing.problem(),
    epoch: publication.epoch(),
    /** True when all rows of the epoch have been stored. */
    complete: publication.isComplete(),
    /** Number of objects with a row that has not been stored. */
    waitingRows: rows.waiting(),
    inFlight: rows.inFlight(),
    /** True while a change of the catalog has been neither stored nor refused. */
    isCatalogWaiting: catalog.isWaiting(),
    /** Number of history records that have not been stored. */
    waitingEvents: Math.max(0, events.lastSeq() - events.cursor()),
    /** Time of the oldest of them, Unix ms; undefined when none waits. */
    oldestEventAtMs: events.oldestAtMs(),
    /** Age of the oldest row change that is due and has not been stored, ms; 0 for none. */
    unstoredMs: unstoredMsOf(parts),
    /** Rows, catalog parts and history records that NATS refuses. */
    unpublished: parts.unpublished.list(),
    /** Number of history records that were removed before they could be published, or too large. */
    droppedEvents: events.dropped(),
    /** Mean size of a message, bytes; that of the first row while none was sent. */
    meanMessageBytes: counts.sent > 0 ? counts.sentBytes / counts.sent : rows.sampleBytes(),
    /** Reason why this agent must neither publish nor take calls over NATS; empty when the aggregator follows it. */
    heldReason: answers.heldReason(),
    /** Instance id of the agent of the same realm that the aggregator follows instead; undefined when it follows this one. */
    otherInstance: answers.otherInstance(),
  };
}

/** Deterministic number in [0, 1) that differs between instances. */
const jitterOf = (instance: string): number =>
  [...instance].reduce((sum, char) => (sum * 31 + (char.codePointAt(0) ?? 0)) % 1_000, 7) / 1_000;

/** NATS on the readiness page. It is not needed: an agent works without it and stays ready. */
export function natsDependency({ error, unpublished, waitingRows, waitingEvents }: PublisherState) {
  const waiting = error === "" ? "" : `${error}; ${waitingRows} rows and ${waitingEvents} events wait`;
  const detail = [waiting, describeUnpublished(unpublished)].filter((text) => text !== "").join("; ");
  return { name: "nats", ok: detail === "", needed: false, detail: detail || "connected" };
}
