import { type Clock, sleep } from "@realmwatch/shared/model/clock";
import type { HistoryRecord } from "@realmwatch/shared/model/history";
import { encodeRealmEvent, maxRecordBytes } from "@realmwatch/shared/wire/cut-record";
import { realmEventToProto } from "@realmwatch/shared/wire/history";
import { eventMessageId, eventSubject } from "@realmwatch/shared/wire/nats/nats-subjects";
import type { JetStreamSender } from "./jetstream-sender.ts";
import { openTokenBucket } from "./token-bucket.ts";
import type { UnpublishedItems } from "./unpublished-items.ts";

/** Source of the history records to publish: the journal. */
export interface PublishedHistorySource {
  historyAfter(seq: number, limit: number): Promise<readonly HistoryRecord[]>;
  cursor(name: string): Promise<number>;
  setCursor(name: string, seq: number): Promise<void>;
  /** Sequence number of the newest accepted command. */
  lastCommandSeq(): number;
}

/** Name of the journal's cursor that the event publisher advances. */
const eventCursorName = "nats";
/** Number of records published concurrently. */
const windowSize = 64;
/** Greatest rate of publishing: after an outage all realms send their kept history at once. */
const recordsPerSecond = 2_000;
const rereadAfterMs = 1_000;
/** Time after which records without permission are sent again, ms. */
const deniedAgainAfterMs = 10_000;
const closeWithinMs = 1_000;
/** Interval at which the number of the oldest record is read: it grows as old records are removed. */
const readFirstEveryMs = 60_000;

export type EventPublisher = {
  /** Resolves once the cursor has been read from the journal. */
  readonly ready: Promise<void>;
  /** Announces that the journal holds records up to `lastSeq`. */
  advanced(lastSeq: number): void;
  /** Publishes again from the record after `seq`: the stream has lost records that it had acknowledged. */
  rewind(seq: number): void;
  /** Sequence number of the last record that the stream has acknowledged. */
  cursor(): number;
  lastSeq(): number;
  /** Sequence number of the oldest record in the journal as of a minute ago; 0 while it is not known. */
  firstSeq(): number;
  /** Time of the oldest unpublished record, Unix ms; undefined when all are published. */
  oldestAtMs(): number | undefined;
  /** Number of records that were removed before they could be published, or too large, since the start. */
  dropped(): number;
  close(): Promise<void>;
};

/**
 * Publishes the journal's history records in order and stores its cursor in the journal, so a restart or an outage of
 * any length only delays them. A record that is sent twice is deduplicated by the broker (message id) and by the
 * aggregator (sequence number). At most 2 000 records are sent in a second.
 */
export function openEventPublisher(io: {
  readonly realm: string;
  readonly clock: Clock;
  readonly sender: JetStreamSender;
  readonly source: PublishedHistorySource;
  readonly lastSeq: number;
  readonly unpublished: UnpublishedItems;
}): EventPublisher {
  const { realm, sender, source, clock, unpublished } = io;
  const closing = new AbortController();
  const pace = openTokenBucket({ clock, perSecond: recordsPerSecond, burst: 2 * windowSize });
  let lastSeq = io.lastSeq;
  let cursor = 0;
  let rewindTo: number | undefined;
  let oldestAtMs: number | undefined;
  let dropped = 0;
  let firstSeq = 0;
  let cancelReadFirst = (): void => {};
  let wake = (): void => {};

  const ready = source.cursor(eventCursorName).then((seq) => {
    cursor = seq;
  });
  const running = ready.then(run);
  void readFirst();

  async function readFirst(): Promise<void> {
    const [first] = await source.historyAfter(0, 1);
    firstSeq = first?.seq ?? firstSeq;
    if (!closing.signal.aborted) cancelReadFirst = clock.after(readFirstEveryMs, () => void readFirst());
  }

  async function run(): Promise<void> {
    while (!closing.signal.aborted) {
      if (rewindTo !== undefined) [cursor, rewindTo] = [Math.min(cursor, rewindTo), undefined];
      if (cursor >= lastSeq) await new Promise<void>((resolve) => (wake = resolve));
      else await sendBatch();
    }
  }

  async function sendBatch(): Promise<void> {
    // `oldestAtMs()` is synchronous, so the time is read before the wait.
    if (!sender.isOpen()) oldestAtMs = (await source.historyAfter(cursor, 1))[0]?.atMs;
    await sender.whenOpen(closing.signal);
    if (closing.signal.aborted) return;
    const records = await source.historyAfter(cursor, windowSize);
    const [first] = records;
    oldestAtMs = first?.atMs;
    // An empty result means that the journal cannot be read now; the journal logs the error itself.
    if (first === undefined) return sleep(clock, rereadAfterMs, closing.signal);
    await pace.take(records.length, closing.signal);
    if (!sender.isOpen()) return;
    const missed = gapBefore(first);
    if (missed && !(await sendRecord(missed))) return;
    if (missed) dropped += missed.seq - cursor;
    const stored = await Promise.all(records.map(sendRecord));
    const stopped = stored.indexOf(false);
    const last = stopped < 0 ? records.at(-1) : records[stopped - 1];
    if (last !== undefined && !closing.signal.aborted) {
      cursor = last.seq;
      await source.setCursor(eventCursorName, cursor);
    }
    if (stopped >= 0 && sender.isOpen()) await sleep(clock, deniedAgainAfterMs, closing.signal);
  }

  /** Gap record in place of the records that retention removed before publishing; undefined when none was removed. */
  function gapBefore({ seq, atMs }: HistoryRecord): HistoryRecord | undefined {
    if (cursor === 0 || seq <= cursor + 1) return undefined;
    const comment = `history records ${cursor + 1} to ${seq - 1} were not kept until they could be published`;
    return { seq: seq - 1, realm, atMs, type: "gap", comment };
  }

  /**
   * Sends a record, cut to what NATS takes. [FD75] One that is refused as too large is cut as far as possible; in place of
   * one that is too large even then a short record is sent. False when it has to be sent again. The first message is sent
   * before this function returns, so that records are stored in order.
   */
  async function sendRecord(record: HistoryRecord): Promise<boolean> {
    const name = String(record.seq);
    const maxBytes = Math.min(maxRecordBytes, sender.maxMessageBytes());
    let why = "";
    for (const form of ["cut", "short", "gap"] as const) {
      const sentRecord = form === "gap" ? gapInPlaceOf(record, why) : record;
      const event = realmEventToProto(sentRecord, realm, source.lastCommandSeq());
      const data = encodeRealmEvent(event, form === "short" ? 0 : maxBytes);
      why = `the message has ${data.length} bytes, and NATS takes at most ${maxBytes}`;
      if (data.length > maxBytes) continue;
      const sent = await sender.send({
        subject: eventSubject(realm),
        data,
        messageId: eventMessageId(realm, record.seq),
      });
      if (sent.kind === "refused" && sent.cause === "too_large") {
        why = sent.reason;
        continue;
      }
      if (sent.kind === "stored") unpublished.delete("record", name);
      if (sent.kind === "stored" && form === "gap") dropped += 1;
      if (sent.kind === "refused") unpublished.set("record", name, sent.reason);
      return sent.kind === "stored";
    }
    dropped += 1;
    return true;
  }

  const gapInPlaceOf = ({ seq, atMs, key }: HistoryRecord, why: string): HistoryRecord => ({
    ...{ seq, realm, atMs, type: "gap", comment: `history record ${seq} is not published: ${why}` },
    ...(key === undefined ? {} : { key }),
  });

  return {
    ready,
    advanced(seq) {
      lastSeq = Math.max(lastSeq, seq);
      wake();
    },
    rewind(seq) {
      rewindTo = Math.min(seq, rewindTo ?? seq);
      wake();
    },
    cursor: () => cursor,
    lastSeq: () => lastSeq,
    firstSeq: () => firstSeq,
    oldestAtMs: () => (cursor < lastSeq ? oldestAtMs : undefined),
    dropped: () => dropped,
    async close() {
      closing.abort();
      cancelReadFirst();
      wake();
      // A broker that does not answer must not delay the shutdown: the next start compares with the stream again.
      const done = new AbortController();
      await Promise.race([running, sleep(clock, closeWithinMs, done.signal)]);
      done.abort();
    },
  };
}
