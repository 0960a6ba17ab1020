import {
  AckPolicy,
  type Consumer,
  type ConsumerConfig,
  type ConsumerInfo,
  DeliverPolicy,
  type JetStreamManager,
  type NatsConnection,
  NatsError,
} from "nats";

export type StreamConsumerOptions = {
  readonly stream: string;
  /** Name of the consumer, which a later connection continues; undefined for one that ends with its reader. */
  readonly durable: string | undefined;
  /**
   * Position of a consumer of this process only, whose messages are not acknowledged: NATS keeps it in memory and deletes
   * it a minute after its last use. Undefined for a consumer that aggregators share.
   */
  readonly position?: ConsumerPosition | undefined;
  /** Start, Unix ms; 0 for the whole stream. An existing durable consumer continues at its position. */
  readonly sinceMs: number;
  /** Subject of the messages to read, with wildcards; undefined for all. A durable consumer reads all. */
  readonly subject?: string | undefined;
};

/** Position of a consumer whose messages are not acknowledged: numbers of its messages, over all connections. */
export type ConsumerPosition = {
  received: number;
  written: number;
  /** Sequence in the stream of the last message that was written; 0 before the first one. */
  writtenSeq: number;
};

const msInNs = 1_000_000;
/** Maximum number of unacknowledged messages of all aggregators together, which bounds the memory. */
const maxUnacknowledged = 4_000;
/**
 * Time after which an unacknowledged message is delivered again, ms: the delay of the messages that a killed aggregator
 * had received. Longer than the write of a batch; writes are idempotent.
 */
const ackWaitMs = 3_000;
/**
 * Timeout of a request about a stream or consumer, ms. NATS does not answer while it elects a leader; with the library's
 * 5 s a request could outlast the election by as much.
 */
export const consumerTimeoutMs = 1_500;
/** Inactivity after which NATS deletes a durable consumer, ms; a later start reads everything again. */
const deleteInactiveAfterMs = 30 * 86_400_000;
/** The same for a consumer of one process, ms. */
const deleteOwnAfterMs = 60_000;

export const isNotFound = (error: unknown): boolean => error instanceof NatsError && error.api_error?.code === 404;

/** Opens a consumer, and makes it if it does not exist. Rejects when the stream does not exist or NATS does not answer. */
export async function openConsumer(
  connection: NatsConnection,
  { stream, durable, position, sinceMs, subject }: StreamConsumerOptions,
): Promise<Consumer> {
  const start: ConsumerStart =
    sinceMs > 0
      ? { deliver_policy: DeliverPolicy.StartTime, opt_start_time: new Date(sinceMs).toISOString() }
      : { deliver_policy: DeliverPolicy.All };
  const js = connection.jetstream({ timeout: consumerTimeoutMs });
  const jsm = await connection.jetstreamManager({ timeout: consumerTimeoutMs });
  if (durable === undefined) {
    const info = await jsm.consumers.add(stream, {
      ...{ ...start, ...ownConsumer },
      // More would have to elect a leader among servers of which one may just have died.
      num_replicas: 1,
      ...(subject === undefined ? {} : { filter_subject: subject }),
    });
    return js.consumers.get(stream, info.name);
  }
  if (position === undefined) await ensureShared(jsm, { stream, durable, start });
  else await ensureOwn(jsm, { stream, durable, start, position });
  return js.consumers.get(stream, durable);
}

type ConsumerStart = Partial<ConsumerConfig>;

/** Configuration of a consumer of this process only. */
const ownConsumer = {
  ack_policy: AckPolicy.None,
  inactive_threshold: deleteOwnAfterMs * msInNs,
  mem_storage: true,
};

type NamedConsumer = { readonly stream: string; readonly durable: string; readonly start: ConsumerStart };

async function ensureShared(jsm: JetStreamManager, { stream, durable, start }: NamedConsumer): Promise<void> {
  const ack_wait = ackWaitMs * msInNs;
  const info = await findConsumer(jsm, stream, durable);
  if (info === undefined)
    await jsm.consumers.add(stream, {
      ...start,
      durable_name: durable,
      ack_policy: AckPolicy.Explicit,
      ack_wait,
      max_ack_pending: maxUnacknowledged,
      max_deliver: -1,
      inactive_threshold: deleteInactiveAfterMs * msInNs,
    });
  else if (info.config.ack_wait !== ack_wait) await jsm.consumers.update(stream, durable, { ack_wait });
}

/**
 * Continues the consumer behind what was written. When NATS has sent more that was lost, it is made anew from there; when
 * it is gone the stream may be another one, and everything is read again.
 */
async function ensureOwn(
  jsm: JetStreamManager,
  { stream, durable, start, position }: NamedConsumer & { readonly position: ConsumerPosition },
): Promise<void> {
  const info = await findConsumer(jsm, stream, durable);
  position.received = position.written;
  if (info?.delivered.consumer_seq === position.written) return;
  if (info !== undefined) await jsm.consumers.delete(stream, durable);
  const from =
    info === undefined || position.writtenSeq === 0
      ? start
      : { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: position.writtenSeq + 1 };
  Object.assign(position, { received: 0, written: 0, writtenSeq: from === start ? 0 : position.writtenSeq });
  await jsm.consumers.add(stream, { ...from, ...ownConsumer, durable_name: durable });
}

async function findConsumer(jsm: JetStreamManager, stream: string, durable: string): Promise<ConsumerInfo | undefined> {
  try {
    return await jsm.consumers.info(stream, durable);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
