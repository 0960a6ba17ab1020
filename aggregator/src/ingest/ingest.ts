import { type Clock, sleep } from "@realmwatch/shared/model/clock";
import { errorText } from "@realmwatch/shared/platform/error-text";
import { awaitStreams } from "@realmwatch/shared/platform/nats/nats-streams";
import {
  allForgottenSubject,
  eventStream,
  parseSubject,
  stateStream,
} from "@realmwatch/shared/wire/nats/nats-subjects";
import { type NatsConnection, nuid } from "nats";
import { type ConsumerPosition, consumerTimeoutMs } from "./open-consumer.ts";
import type { RebuildOptions } from "./rebuild.ts";
import { consumeStream } from "./stream-consumer.ts";
import { type DeliveredMessageWriting, writeBatch } from "./write-messages.ts";

export type IngestOptions = DeliveredMessageWriting & Pick<RebuildOptions, "bus" | "log" | "historyRetentionMs">;

const retryAfterMs = 1_000;
const askPendingEveryMs = 250;

/** Consumer of what realms publish, until it is closed: each message is written, then acknowledged. */
export class Ingest {
  readonly #options: IngestOptions;
  readonly #closing = new AbortController();
  readonly #sessions = new Set<Promise<unknown>>();
  readonly #errors = new Map<string, string>();
  /** Streams of which everything that they held at the last connection has been written. */
  readonly #caughtUp = new Set<string>();
  // A consumer that is continued after a reconnect needs no leading group of servers, which elects at the same time.
  readonly #ownPrefix = `memory-${nuid.next()}`;
  /** Positions of the consumers of this ingest only, by stream. */
  readonly #positions = new Map<string, ConsumerPosition>();
  readonly #stopListening: readonly (() => void)[];

  constructor(options: IngestOptions) {
    this.#options = options;
    const { bus, events, isListed } = options;
    const stopUp = bus.onUp((connection) => {
      const session = this.#readStreams(connection);
      this.#sessions.add(session);
      void session.finally(() => this.#sessions.delete(session));
    });
    // The message is in the stream as well, for rows and for aggregators that are away; of several that share a store
    // only one receives it there.
    const stopForgotten = bus.subscribe(allForgottenSubject, ({ subject }) => {
      const { realm = "" } = parseSubject(subject) ?? {};
      if (isListed(realm)) events.onForgotten(realm);
    });
    this.#stopListening = [stopUp, stopForgotten];
  }

  /** True when every message that the state stream held at the last connection has been written. */
  readonly caughtUp = (): boolean => this.#caughtUp.has(stateStream.name);

  /** The same for the stream of history records. */
  readonly historyCaughtUp = (): boolean => this.#caughtUp.has(eventStream.name);

  /** Error that interrupts ingest although NATS is connected; empty while ingest works. */
  readonly error = (): string => [...this.#errors].map(([stream, why]) => `${stream}: ${why}`).join("; ");

  async close(): Promise<void> {
    for (const stop of this.#stopListening) stop();
    this.#closing.abort();
    await Promise.all(this.#sessions);
  }

  /** Consumes both streams over one connection until it is lost. */
  async #readStreams(connection: NatsConnection): Promise<void> {
    const { bus, clock } = this.#options;
    const lost = new AbortController();
    const stopDown = bus.onDown(() => lost.abort());
    const signal = AbortSignal.any([this.#closing.signal, lost.signal]);
    const caughtUp = this.#caughtUp;
    await Promise.all(
      [stateStream, eventStream].flatMap(({ name }) => [
        this.#readStream(connection, name, signal),
        awaitNothingPending(connection, this.#consumerOptions(name), { clock, signal, caughtUp }),
      ]),
    );
    stopDown();
  }

  /** Consumes one stream; retries after errors. */
  async #readStream(connection: NatsConnection, stream: string, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    while (!signal.aborted) {
      try {
        const jsm = await connection.jetstreamManager({ timeout: consumerTimeoutMs });
        await awaitStreams(jsm, [stateStream, eventStream], { clock, signal });
        this.#errors.delete(stream);
        await consumeStream(connection, this.#consumerOptions(stream), {
          ...{ signal, clock },
          onBatch: async ({ messages, pending }) => {
            const why = await writeBatch(messages, this.#options);
            this.#setError(stream, why === undefined ? undefined : errorText(why));
            if (pending === 0) this.#caughtUp.add(stream);
          },
        });
      } catch (error) {
        if (signal.aborted) return;
        this.#setError(stream, errorText(error));
        await sleep(clock, retryAfterMs, signal);
      }
    }
  }

  #setError(stream: string, why: string | undefined): void {
    if (why === undefined) return void this.#errors.delete(stream);
    if (this.#errors.get(stream) !== why) this.#options.log.warn({ stream, why }, "ingest: interrupted, retrying");
    this.#errors.set(stream, why);
  }

  #positionIn(stream: string): ConsumerPosition {
    const position = this.#positions.get(stream) ?? { received: 0, written: 0, writtenSeq: 0 };
    this.#positions.set(stream, position);
    return position;
  }

  #consumerOptions(stream: string) {
    const { consumerPrefix, clock, historyRetentionMs } = this.#options;
    return {
      stream,
      durable: `${consumerPrefix ?? this.#ownPrefix}-${stream}`,
      position: consumerPrefix === undefined ? this.#positionIn(stream) : undefined,
      sinceMs: stream === eventStream.name ? Math.max(0, clock.now() - historyRetentionMs) : 0,
    };
  }
}

type NamedConsumer = {
  readonly stream: string;
  readonly durable: string;
  readonly position: ConsumerPosition | undefined;
};

/**
 * Waits until a consumer has delivered everything and all of it is written. A message that arrives with none behind it
 * shows the same, but may not come: the stream may be empty, or have only messages from before the consumer's start.
 */
async function awaitNothingPending(
  connection: NatsConnection,
  { stream, durable, position }: NamedConsumer,
  { clock, signal, caughtUp }: { readonly clock: Clock; readonly signal: AbortSignal; readonly caughtUp: Set<string> },
): Promise<void> {
  while (!signal.aborted && !caughtUp.has(stream)) {
    try {
      const jsm = await connection.jetstreamManager({ timeout: consumerTimeoutMs });
      const { num_pending, num_ack_pending, delivered } = await jsm.consumers.info(stream, durable);
      const isWritten = position === undefined || position.written === delivered.consumer_seq;
      if (num_pending + num_ack_pending === 0 && isWritten) return void caughtUp.add(stream);
    } catch {
      // The reader of the stream meets and reports the same error.
    }
    await sleep(clock, askPendingEveryMs, signal);
  }
}
