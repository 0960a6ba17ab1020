import { type Clock, sleep, waitAtMost } from "@realmwatch/shared/model/clock";
import type { HistoryRecord } from "@realmwatch/shared/model/history";
import { encodeRealmEvent, maxRecordBytes } from "@realmwatch/shared/wire/cut-record";
import { realmEventToProto } from "@realmwatch/shared/wire/history";
import { eventMessageId, eventSubject } from "@realmwatch/shared/wire/nats/nats-subjects";
import type { PublicationTools } from "./unpublished-items.ts";

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

type EventPublisherOptions = PublicationTools & { readonly source: PublishedHistorySource; readonly lastSeq: number };

/** Limits a rate. @param burst number of items that may pass at once after a pause */
function openTokenBucket(io: { readonly clock: Clock; readonly perSecond: number; readonly burst: number }) {
  const { clock, perSecond, burst } = io;
  let tokens = burst;
  let filledAtMs = clock.monotonic();
  return {
    /** Waits until `count` items may pass, or until `signal` aborts. For one caller at a time. */
    async take(count: number, signal: AbortSignal) {
      const nowMs = clock.monotonic();
      tokens = Math.min(burst, tokens + ((nowMs - filledAtMs) / 1_000) * perSecond) - count;
      filledAtMs = nowMs;
      if (tokens < 0) await sleep(clock, (-tokens / perSecond) * 1_000, signal);
    },
  };
}

/**
 * Publishes the journal's history records in order and stores its cursor in the journal, so a restart or an outage of
 * any length only delays them. A record that is sent twice is deduplicated by the broker (message id) and by the
 * aggregator (sequence number). At most 2 000 records are sent in a second.
 */
export class EventPublisher {
  /** Resolves once the cursor has been read from the journal. */
  readonly ready: Promise<void>;
  readonly #options: EventPublisherOptions;
  readonly #closing = new AbortController();
  readonly #pace: ReturnType<typeof openTokenBucket>;
  readonly #running: Promise<void>;
  #lastSeq: number;
  #cursor = 0;
  #rewindTo: number | undefined;
  #oldestAtMs: number | undefined;
  #dropped = 0;
  #firstSeq = 0;
  #cancelReadFirst = (): void => {};
  #wake = (): void => {};

  constructor(options: EventPublisherOptions) {
    this.#options = options;
    this.#pace = openTokenBucket({ clock: options.clock, perSecond: recordsPerSecond, burst: 2 * windowSize });
    this.#lastSeq = options.lastSeq;
    this.ready = options.source.cursor(eventCursorName).then((seq) => {
      this.#cursor = seq;
    });
    this.#running = this.ready.then(() => this.#run());
    void this.#readFirst();
  }

  /** Sequence number of the last record that the stream has acknowledged. */
  cursor(): number {
    return this.#cursor;
  }

  lastSeq(): number {
    return this.#lastSeq;
  }

  /** Sequence number of the oldest record in the journal as of a minute ago; 0 while it is not known. */
  firstSeq(): number {
    return this.#firstSeq;
  }

  /** Time of the oldest unpublished record, Unix ms; undefined when all are published. */
  oldestAtMs(): number | undefined {
    return this.#cursor < this.#lastSeq ? this.#oldestAtMs : undefined;
  }

  /** Number of records that were removed before they could be published, or too large, since the start. */
  dropped(): number {
    return this.#dropped;
  }

  /** Announces that the journal holds records up to `lastSeq`. */
  advanced(lastSeq: number): void {
    this.#lastSeq = Math.max(this.#lastSeq, lastSeq);
    this.#wake();
  }

  /** Publishes again from the record after `seq`: the stream has lost records that it had acknowledged. */
  rewind(seq: number): void {
    this.#rewindTo = Math.min(seq, this.#rewindTo ?? seq);
    this.#wake();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#cancelReadFirst();
    this.#wake();
    // A broker that does not answer must not delay the shutdown: the next start compares with the stream again.
    await waitAtMost(this.#options.clock, closeWithinMs, this.#running);
  }

  async #readFirst(): Promise<void> {
    const { source, clock } = this.#options;
    const [first] = await source.historyAfter(0, 1);
    this.#firstSeq = first?.seq ?? this.#firstSeq;
    if (!this.#closing.signal.aborted)
      this.#cancelReadFirst = clock.after(readFirstEveryMs, () => void this.#readFirst());
  }

  async #run(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      if (this.#rewindTo !== undefined) this.#cursor = Math.min(this.#cursor, this.#rewindTo);
      this.#rewindTo = undefined;
      if (this.#cursor < this.#lastSeq) await this.#sendBatch();
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }

  async #sendBatch(): Promise<void> {
    const { source, sender, clock } = this.#options;
    const { signal } = this.#closing;
    // `oldestAtMs()` is synchronous, so the time is read before the wait.
    if (!sender.isOpen()) this.#oldestAtMs = (await source.historyAfter(this.#cursor, 1))[0]?.atMs;
    await sender.whenOpen(signal);
    if (signal.aborted) return;
    const records = await source.historyAfter(this.#cursor, windowSize);
    const [first] = records;
    this.#oldestAtMs = first?.atMs;
    // An empty result means that the journal cannot be read now; the journal logs the error itself.
    if (first === undefined) return sleep(clock, rereadAfterMs, signal);
    await this.#pace.take(records.length, signal);
    if (!sender.isOpen()) return;
    const missed = this.#gapBefore(first);
    if (missed && !(await this.#sendRecord(missed))) return;
    if (missed) this.#dropped += missed.seq - this.#cursor;
    const stored = await Promise.all(records.map((record) => this.#sendRecord(record)));
    const stopped = stored.indexOf(false);
    const last = stopped < 0 ? records.at(-1) : records[stopped - 1];
    if (last !== undefined && !signal.aborted) {
      this.#cursor = last.seq;
      await source.setCursor(eventCursorName, last.seq);
    }
    if (stopped >= 0 && sender.isOpen()) await sleep(clock, deniedAgainAfterMs, signal);
  }

  /** Gap record in place of the records that retention removed before publishing; undefined when none was removed. */
  #gapBefore({ seq, atMs }: HistoryRecord): HistoryRecord | undefined {
    const cursor = this.#cursor;
    if (cursor === 0 || seq <= cursor + 1) return undefined;
    const comment = `history records ${cursor + 1} to ${seq - 1} were not kept until they could be published`;
    return { seq: seq - 1, realm: this.#options.realm, atMs, type: "gap", comment };
  }

  /**
   * Sends a record, cut to what NATS takes. [FD75] One that is refused as too large is cut as far as possible; in place of
   * one that is too large even then a short record is sent. False when it has to be sent again. The first message is sent
   * before this function returns, so that records are stored in order.
   */
  async #sendRecord(record: HistoryRecord): Promise<boolean> {
    const { realm, sender, source, unpublished } = this.#options;
    const name = String(record.seq);
    const maxBytes = Math.min(maxRecordBytes, sender.maxMessageBytes());
    let why = "";
    for (const form of ["cut", "short", "gap"] as const) {
      const sentRecord = form === "gap" ? gapInPlaceOf(record, realm, why) : record;
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
      if (sent.kind === "stored" && form === "gap") this.#dropped += 1;
      if (sent.kind === "refused") unpublished.set("record", name, sent.reason);
      return sent.kind === "stored";
    }
    this.#dropped += 1;
    return true;
  }
}

const gapInPlaceOf = ({ seq, atMs, key }: HistoryRecord, realm: string, why: string): HistoryRecord => ({
  ...{ seq, realm, atMs, type: "gap", comment: `history record ${seq} is not published: ${why}` },
  ...(key === undefined ? {} : { key }),
});
