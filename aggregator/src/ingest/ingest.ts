import { type Clock, sleep } from "@realmwatch/shared/model/clock";
import { errorText } from "@realmwatch/shared/platform/error-text";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { awaitStreams } from "@realmwatch/shared/platform/nats/nats-streams";
import {
  allForgottenSubject,
  eventStream,
  parseSubject,
  stateStream,
} from "@realmwatch/shared/wire/nats/nats-subjects";
import { type NatsConnection, nuid } from "nats";
import { consumerTimeoutMs, consumeStream } from "./stream-consumer.ts";
import { type DeliveredMessageWriting, writeBatch } from "./write-messages.ts";

type IngestOptions = DeliveredMessageWriting & {
  readonly bus: NatsBus;
  readonly log: Pick<Log, "info" | "warn">;
  /** Maximum age of history records, ms. */
  readonly historyRetentionMs: number;
};

type Ingest = {
  /** True when every message that the state stream held at the last connection has been written. */
  caughtUp(): boolean;
  /** The same for the stream of history records. */
  historyCaughtUp(): boolean;
  /** Error that interrupts ingest although NATS is connected; empty when there is none. */
  error(): string;
  close(): Promise<void>;
};

const retryAfterMs = 1_000;
const askPendingEveryMs = 250;

/** Consumes what realms publish until it is closed: each message is written, then acknowledged. */
export function openIngest(options: IngestOptions): Ingest {
  const { bus, clock, log } = options;
  const closing = new AbortController();
  const running = new Set<Promise<void>>();
  const errors = new Map<string, string>();
  /** Streams of which everything that they held at the last connection has been written. */
  const caughtUp = new Set<string>();
  // A consumer that is continued after a reconnect needs no leading group of servers, which elects at the same time.
  const ownPrefix = `memory-${nuid.next()}`;

  const clearError = (stream: string): void => void errors.delete(stream);
  const reportError = (stream: string, error: unknown): void => {
    const why = errorText(error);
    if (errors.get(stream) !== why) log.warn({ stream, why }, "ingest: interrupted, retrying");
    errors.set(stream, why);
  };
  /** Consumes one stream over one connection until the connection is lost; retries after errors. */
  async function run(connection: NatsConnection, stream: string, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await awaitStreams(
          await connection.jetstreamManager({ timeout: consumerTimeoutMs }),
          [stateStream, eventStream],
          { clock, signal },
        );
        clearError(stream);
        await consumeStream(connection, consumerOptionsOf(stream, options, ownPrefix), {
          signal,
          clock,
          onBatch: async ({ messages, pending }) => {
            const why = await writeBatch(messages, options);
            if (why === undefined) clearError(stream);
            else reportError(stream, why);
            if (pending === 0) caughtUp.add(stream);
          },
        });
      } catch (error) {
        if (signal.aborted) return;
        reportError(stream, error);
        await sleep(clock, retryAfterMs, signal);
      }
    }
  }
  const stopUp = bus.onUp((connection) => {
    const lost = new AbortController();
    const stopDown = bus.onDown(() => lost.abort());
    const signal = AbortSignal.any([closing.signal, lost.signal]);
    const session = Promise.all([
      run(connection, stateStream.name, signal),
      run(connection, eventStream.name, signal),
      ...[stateStream, eventStream].map(({ name }) =>
        awaitNothingPending(connection, consumerOptionsOf(name, options, ownPrefix), { clock, signal, caughtUp }),
      ),
    ]).then(stopDown);
    running.add(session);
    void session.finally(() => running.delete(session));
  });
  // The message is in the stream as well, for rows and for aggregators that are away; of several that share a store only
  // one receives it there.
  const stopForgotten = bus.subscribe(allForgottenSubject, ({ subject }) => {
    const { realm = "" } = parseSubject(subject) ?? {};
    if (options.isListed(realm)) options.events.onForgotten(realm);
  });

  return {
    caughtUp: () => caughtUp.has(stateStream.name),
    historyCaughtUp: () => caughtUp.has(eventStream.name),
    error: () => [...errors].map(([stream, why]) => `${stream}: ${why}`).join("; "),
    async close() {
      stopUp();
      stopForgotten();
      closing.abort();
      await Promise.all(running);
    },
  };
}

const consumerOptionsOf = (
  stream: string,
  { consumerPrefix, clock, historyRetentionMs }: IngestOptions,
  ownPrefix: string,
) => ({
  stream,
  durable: `${consumerPrefix ?? ownPrefix}-${stream}`,
  temporary: consumerPrefix === undefined,
  sinceMs: stream === eventStream.name ? Math.max(0, clock.now() - historyRetentionMs) : 0,
});

/**
 * Waits until a consumer has delivered everything and all of it is written. A message that arrives with none behind it
 * shows the same, but may not come: the stream may be empty, or have only messages from before the consumer's start.
 */
async function awaitNothingPending(
  connection: NatsConnection,
  { stream, durable }: { readonly stream: string; readonly durable: string },
  { clock, signal, caughtUp }: { readonly clock: Clock; readonly signal: AbortSignal; readonly caughtUp: Set<string> },
): Promise<void> {
  while (!signal.aborted && !caughtUp.has(stream)) {
    try {
      const jsm = await connection.jetstreamManager({ timeout: consumerTimeoutMs });
      const { num_pending, num_ack_pending } = await jsm.consumers.info(stream, durable);
      if (num_pending + num_ack_pending === 0) return void caughtUp.add(stream);
    } catch {
      // The reader of the stream meets and reports the same error.
    }
    await sleep(clock, askPendingEveryMs, signal);
  }
}
