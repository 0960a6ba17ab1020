import { toBinary } from "@bufbuild/protobuf";
import { RealmEventSchema } from "@realmwatch/proto/svc/v1/state_pb";
import { type Clock, sleep } from "@realmwatch/shared/model/clock";
import type { HistoryRecord } from "@realmwatch/shared/model/history";
import { realmEventToProto } from "@realmwatch/shared/wire/history";
import { eventMessageId, eventSubject } from "@realmwatch/shared/wire/nats/nats-subjects";
import type { JetStreamSender } from "./jetstream-sender.ts";

/** Where history comes from: the journal. */
export interface PublishedHistorySource {
  historyAfter(seq: number, limit: number): Promise<readonly HistoryRecord[]>;
  cursor(name: string): Promise<number>;
  setCursor(name: string, seq: number): Promise<void>;
}

/** Name of the journal's cursor for NATS. */
export const eventCursorName = "nats";
/** Records on their way at one time. */
const windowSize = 64;
const rereadAfterMs = 1_000;
const closeWithinMs = 1_000;

export type EventPublisher = {
  /** Resolves once the cursor is known. */
  readonly ready: Promise<void>;
  /** There are records up to this one. */
  advanced(lastSeq: number): void;
  /** The stream's newest record is older than what was kept there once: send again from behind it. */
  rewind(seq: number): void;
  /** The last record that the stream has. */
  cursor(): number;
  lastSeq(): number;
  /** When the oldest record that the stream has not was made, Unix ms; undefined where there is none. */
  oldestAtMs(): number | undefined;
  close(): Promise<void>;
};

/**
 * Sends history as the journal has it, in its order, and remembers in the journal how far it came: a restart
 * or an outage of any length only makes it late. A record that was sent twice is one record to the broker
 * (its message id) and to the aggregator (its seq).
 */
export function openEventPublisher(io: {
  readonly realm: string;
  readonly clock: Clock;
  readonly sender: JetStreamSender;
  readonly source: PublishedHistorySource;
  readonly lastSeq: number;
}): EventPublisher {
  const { realm, sender, source, clock } = io;
  const closing = new AbortController();
  let lastSeq = io.lastSeq;
  let cursor = 0;
  let rewindTo: number | undefined;
  let oldestAtMs: number | undefined;
  let wake = (): void => {};

  const ready = source.cursor(eventCursorName).then((seq) => {
    cursor = seq;
  });
  const running = ready.then(run);

  async function run(): Promise<void> {
    while (!closing.signal.aborted) {
      if (rewindTo !== undefined) [cursor, rewindTo] = [Math.min(cursor, rewindTo), undefined];
      if (cursor >= lastSeq) await new Promise<void>((resolve) => (wake = resolve));
      else await sendBatch();
    }
  }

  async function sendBatch(): Promise<void> {
    // Whoever asks how long it waits must not have to read for it.
    if (!sender.isOpen()) oldestAtMs = (await source.historyAfter(cursor, 1))[0]?.atMs;
    await sender.whenOpen(closing.signal);
    if (closing.signal.aborted) return;
    const records = await source.historyAfter(cursor, windowSize);
    const [first] = records;
    oldestAtMs = first?.atMs;
    // The journal cannot be read just now; it says so itself.
    if (first === undefined) return sleep(clock, rereadAfterMs, closing.signal);
    const missed = gapBefore(first);
    if (missed && !(await sendRecord(missed))) return;
    const kept = await Promise.all(records.map(sendRecord));
    const stopped = kept.indexOf(false);
    const last = stopped < 0 ? records.at(-1) : records[stopped - 1];
    if (last === undefined || closing.signal.aborted) return;
    cursor = last.seq;
    await source.setCursor(eventCursorName, cursor);
  }

  /** What retention took away before it could be sent, as a record of its own in the last lost one's place. */
  function gapBefore({ seq, atMs }: HistoryRecord): HistoryRecord | undefined {
    if (cursor === 0 || seq <= cursor + 1) return undefined;
    const comment = `history records ${cursor + 1} to ${seq - 1} were not kept until they could be published`;
    return { seq: seq - 1, realm, atMs, type: "gap", comment };
  }

  async function sendRecord(record: HistoryRecord): Promise<boolean> {
    const data = toBinary(RealmEventSchema, realmEventToProto(record, realm));
    const sent = await sender.send({
      subject: eventSubject(realm),
      data,
      messageId: eventMessageId(realm, record.seq),
    });
    return sent.kind !== "unknown";
  }

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
    oldestAtMs: () => (cursor < lastSeq ? oldestAtMs : undefined),
    async close() {
      closing.abort();
      wake();
      // A broker that does not answer must not hold up the end: what it kept shows at the next start.
      const done = new AbortController();
      await Promise.race([running, sleep(clock, closeWithinMs, done.signal)]);
      done.abort();
    },
  };
}
