import { type Clock, sleep } from "@realmwatch/shared/model/clock";
import { AckPolicy, type Consumer, DeliverPolicy, type JsMsg, type NatsConnection, NatsError } from "nats";
import { MessageRequests } from "./message-requests.ts";

type StreamConsumerOptions = {
  readonly stream: string;
  /** Name of the consumer, which a later connection continues; undefined for one that ends with its reader. */
  readonly durable: string | undefined;
  /** True for a consumer of this process only: NATS keeps it in memory and deletes it a minute after its last use. */
  readonly temporary?: boolean;
  /** Start, Unix ms; 0 for the whole stream. An existing durable consumer continues at its position. */
  readonly sinceMs: number;
  /** Subject of the messages to read, with wildcards; undefined for all. A durable consumer reads all. */
  readonly subject?: string | undefined;
};

/** Messages of one consumer. `pending` is the number of stream messages that are still to come. */
type MessageBatch = { readonly messages: readonly JsMsg[]; readonly pending: number };

type ConsumeOptions = {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly onBatch: (batch: MessageBatch) => Promise<void>;
};

const msInNs = 1_000_000;
/** Maximum number of messages that are passed on at a time. */
const messagesPerBatch = 1_000;
/** Maximum number of unacknowledged messages of all aggregators together, which bounds the memory. */
const maxUnacknowledged = 4_000;
/**
 * Time after which an unacknowledged message is delivered again, ms: the delay of the messages that a killed aggregator
 * had received. Longer than the write of a batch; writes are idempotent.
 */
const ackWaitMs = 3_000;
/** The same for a consumer of one process, which writes to its memory, ms. */
const temporaryAckWaitMs = 2_000;
const checkConsumerEveryMs = 2_000;
/** Number of polls without an answer after which a consumer is opened again. */
const mostSilentPolls = 2;
/**
 * Timeout of a request about a stream or consumer, ms. NATS does not answer while it elects a leader; with the library's
 * 5 s a request could outlast the election by as much.
 */
export const consumerTimeoutMs = 1_500;
/** Inactivity after which NATS deletes a durable consumer, ms; a later start reads everything again. */
const deleteInactiveAfterMs = 30 * 86_400_000;
/** The same for a consumer of one process, ms. */
const deleteTemporaryAfterMs = 60_000;

/**
 * Passes messages to `onBatch` as they arrive, in batches of all that wait: a single message is passed at once.
 * Resolves when `signal` aborts; rejects when the consumer or its stream is gone, or `onBatch` rejects.
 */
export async function consumeStream(
  connection: NatsConnection,
  options: StreamConsumerOptions,
  { signal, clock, onBatch }: ConsumeOptions,
): Promise<void> {
  const closing = new AbortController();
  const consumer = await openConsumer(connection, options);
  const waiting: JsMsg[] = [];
  let wake = (): void => {};
  let ended: { readonly why: Error | undefined } | undefined;
  const end = (why?: Error): void => {
    ended ??= { why };
    wake();
  };
  const receive = (message: JsMsg): void => {
    waiting.push(message);
    wake();
  };
  const requesting = requestMessages(consumer, { signal: closing.signal, receive }).catch(end);
  void watchConsumer(consumer, {
    signal: closing.signal,
    clock,
    gone: () => end(new Error("the consumer is gone")),
  });
  const abort = (): void => end();
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) end();
  try {
    while (ended === undefined) {
      if (waiting.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      const batch = waiting.splice(0, messagesPerBatch);
      const last = batch.at(-1);
      if (last !== undefined && ended === undefined)
        await onBatch({ messages: batch, pending: last.info.pending + waiting.length });
    }
    if (ended.why) throw ended.why;
  } finally {
    closing.abort();
    signal.removeEventListener("abort", abort);
    // Messages that were received but not passed on are delivered again at once.
    if (options.durable !== undefined && !connection.isClosed()) for (const message of waiting) message.nak();
    await requesting;
  }
}

/** Passes on messages until `signal` aborts. Rejects when the consumer or its stream is gone. */
async function requestMessages(
  consumer: Consumer,
  { signal, receive }: { readonly signal: AbortSignal; readonly receive: (message: JsMsg) => void },
): Promise<void> {
  const requests = new MessageRequests(consumer);
  while (!signal.aborted) for await (const message of requests.next(signal)) receive(message);
}

/**
 * Polls the consumer: the library notices its deletion only at its next pull, up to a minute later, and the death of the
 * server that leads it late. A consumer that does not answer is opened again, which continues where it was.
 */
async function watchConsumer(consumer: Consumer, { signal, clock, gone }: WatchOptions): Promise<void> {
  for (let silent = 0; !signal.aborted; ) {
    await sleep(clock, checkConsumerEveryMs, signal);
    try {
      await consumer.info();
      silent = 0;
    } catch (error) {
      silent += 1;
      if (isNotFound(error) || silent >= mostSilentPolls) return gone();
    }
  }
}
type WatchOptions = { readonly signal: AbortSignal; readonly clock: Clock; readonly gone: () => void };

const isNotFound = (error: unknown): boolean => error instanceof NatsError && error.api_error?.code === 404;

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

async function openConsumer(
  connection: NatsConnection,
  { stream, durable, temporary = false, sinceMs, subject }: StreamConsumerOptions,
): Promise<Consumer> {
  const start =
    sinceMs > 0
      ? { deliver_policy: DeliverPolicy.StartTime, opt_start_time: new Date(sinceMs).toISOString() }
      : { deliver_policy: DeliverPolicy.All };
  const js = connection.jetstream({ timeout: consumerTimeoutMs });
  if (durable === undefined) {
    const jsm = await connection.jetstreamManager({ timeout: consumerTimeoutMs });
    const info = await jsm.consumers.add(stream, {
      ...start,
      // More would have to elect a leader among servers of which one may just have died.
      num_replicas: 1,
      ...(subject === undefined ? {} : { filter_subject: subject }),
      ack_policy: AckPolicy.None,
      inactive_threshold: deleteTemporaryAfterMs * msInNs,
      mem_storage: true,
    });
    return js.consumers.get(stream, info.name);
  }
  await ensureDurable(connection, { stream, durable, temporary, start });
  return js.consumers.get(stream, durable);
}

async function ensureDurable(
  connection: NatsConnection,
  { stream, durable, temporary, start }: { stream: string; durable: string; temporary: boolean; start: object },
): Promise<void> {
  const jsm = await connection.jetstreamManager({ timeout: consumerTimeoutMs });
  const ack_wait = (temporary ? temporaryAckWaitMs : ackWaitMs) * msInNs;
  try {
    const { config } = await jsm.consumers.info(stream, durable);
    if (config.ack_wait !== ack_wait) await jsm.consumers.update(stream, durable, { ack_wait });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    await jsm.consumers.add(stream, {
      ...start,
      durable_name: durable,
      ack_policy: AckPolicy.Explicit,
      ack_wait,
      max_ack_pending: maxUnacknowledged,
      max_deliver: -1,
      mem_storage: temporary,
      inactive_threshold: (temporary ? deleteTemporaryAfterMs : deleteInactiveAfterMs) * msInNs,
    });
  }
}
