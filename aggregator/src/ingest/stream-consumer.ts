import { type Clock, sleep } from "@realmwatch/shared/model/clock";
import type { Consumer, JsMsg, NatsConnection } from "nats";
import { MessageRequests } from "./message-requests.ts";
import { type ConsumerPosition, isNotFound, openConsumer, type StreamConsumerOptions } from "./open-consumer.ts";

/** Messages of one consumer. `pending` is the number of stream messages that are still to come. */
type MessageBatch = { readonly messages: readonly JsMsg[]; readonly pending: number };

type ConsumeOptions = {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly onBatch: (batch: MessageBatch) => Promise<void>;
};

/** Maximum number of messages that are passed on at a time. */
const messagesPerBatch = 1_000;
/** Number of messages that wait to be passed on from which on no more are requested. */
const mostWaiting = 4_000;
const checkConsumerEveryMs = 2_000;
/** Number of polls without an answer after which a consumer is opened again. */
const mostSilentPolls = 2;

/**
 * Passes messages to `onBatch` as they arrive, in batches of all that wait: a single message is passed at once.
 * Resolves when `signal` aborts; rejects when the consumer or its stream is gone, or `onBatch` rejects.
 */
export async function consumeStream(
  connection: NatsConnection,
  options: StreamConsumerOptions,
  { signal, clock, onBatch }: ConsumeOptions,
): Promise<void> {
  const { position } = options;
  const closing = new AbortController();
  const consumer = await openConsumer(connection, options);
  const waiting: JsMsg[] = [];
  let wake = (): void => {};
  let makeRoom = (): void => {};
  let ended: { readonly why: Error | undefined } | undefined;
  const end = (why?: Error): void => {
    ended ??= { why };
    wake();
  };
  const receive = (message: JsMsg): void => {
    waiting.push(message);
    if (position) position.received += 1;
    wake();
  };
  const room = async (): Promise<void> => {
    if (waiting.length >= mostWaiting) await new Promise<void>((resolve) => (makeRoom = resolve));
  };
  const requesting = requestMessages(consumer, { signal: closing.signal, room, receive }).catch(end);
  void watchConsumer(consumer, { signal: closing.signal, clock, position, end });
  const abort = (): void => end();
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) end();
  try {
    while (ended === undefined) {
      if (waiting.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      const batch = waiting.splice(0, messagesPerBatch);
      makeRoom();
      const last = batch.at(-1);
      if (last === undefined || ended !== undefined) continue;
      if (position && last.info.deliverySequence !== position.written + batch.length) throw new Error(lostMessages);
      await onBatch({ messages: batch, pending: last.info.pending + waiting.length });
      if (position) Object.assign(position, { written: position.written + batch.length, writtenSeq: last.seq });
    }
    if (ended.why) throw ended.why;
  } finally {
    closing.abort();
    makeRoom();
    signal.removeEventListener("abort", abort);
    // Messages that were received but not passed on are delivered again at once.
    if (position === undefined && !connection.isClosed()) for (const message of waiting) message.nak();
    await requesting;
  }
}

const lostMessages = "messages of the consumer were lost on their way";

type RequestOptions = {
  readonly signal: AbortSignal;
  /** Resolves when more messages can be received. */
  readonly room: () => Promise<void>;
  readonly receive: (message: JsMsg) => void;
};

/** Passes on messages until `signal` aborts. Rejects when the consumer or its stream is gone. */
async function requestMessages(consumer: Consumer, { signal, room, receive }: RequestOptions): Promise<void> {
  const requests = new MessageRequests(consumer);
  while (!signal.aborted) {
    for await (const message of requests.next(signal)) receive(message);
    // Once the reader has ended nothing makes room any more.
    if (!signal.aborted) await room();
  }
}

/**
 * Polls the consumer: the library notices its deletion only at its next pull, up to a minute later, and the death of the
 * server that leads it late. A consumer that does not answer is opened again, which continues where it was. So is one
 * that has sent messages of which none arrives any more: there may be no later one that shows the loss.
 */
async function watchConsumer(consumer: Consumer, { signal, clock, position, end }: WatchOptions): Promise<void> {
  for (let [silent, stalled, received] = [0, 0, 0]; !signal.aborted; ) {
    await sleep(clock, checkConsumerEveryMs, signal);
    try {
      const sent = (await consumer.info()).delivered.consumer_seq;
      silent = 0;
      const isStalled = position !== undefined && position.received < sent && position.received === received;
      stalled = isStalled ? stalled + 1 : 0;
      received = position?.received ?? 0;
      if (stalled >= mostSilentPolls) return end(new Error(lostMessages));
    } catch (error) {
      silent += 1;
      if (isNotFound(error) || silent >= mostSilentPolls) return end(new Error("the consumer is gone"));
    }
  }
}
type WatchOptions = {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly position: ConsumerPosition | undefined;
  readonly end: (why: Error) => void;
};

/**
 * Reads all messages that the stream holds now, from `sinceMs` on. It ends at the stream's current last sequence, so
 * steady traffic does not prolong it. The next batch is received while one is processed. Resolves when the last batch
 * was processed; rejects when the stream is gone or the connection is lost.
 *
 * @param onBegin called with that sequence before the first message
 */
export async function readStoredMessages(
  connection: NatsConnection,
  options: Omit<StreamConsumerOptions, "durable">,
  onBatch: (messages: readonly JsMsg[]) => Promise<void>,
  onBegin: (lastSeq: number) => void = () => {},
): Promise<void> {
  const consumer = await openConsumer(connection, { ...options, durable: undefined });
  try {
    const { last_seq: lastSeq } = (await (await connection.jetstreamManager()).streams.info(options.stream)).state;
    onBegin(lastSeq);
    let { num_pending: left } = await consumer.info();
    const requests = new MessageRequests(consumer);
    let processing = Promise.resolve();
    while (left > 0) {
      const batch: JsMsg[] = [];
      for await (const message of requests.next()) {
        batch.push(message);
        left = message.seq >= lastSeq ? 0 : message.info.pending;
        if (left === 0) break;
      }
      // No message although some were pending: they were replaced or deleted in the meantime.
      if (batch.length === 0) ({ num_pending: left } = await consumer.info());
      else {
        await processing;
        processing = onBatch(batch);
        // The rejection is thrown where the next batch, or the end, waits for it.
        processing.catch(() => {});
      }
    }
    await processing;
  } finally {
    if (!connection.isClosed()) await consumer.delete().catch(() => false);
  }
}
