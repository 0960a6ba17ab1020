import { type Clock, sleep } from "@realmwatch/shared/model/clock";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { ensureStreams } from "@realmwatch/shared/platform/nats/nats-streams";
import { allHeartbeatsSubject, eventStream, stateStream } from "@realmwatch/shared/wire/nats/nats-subjects";
import type { JsMsg, NatsConnection } from "nats";
import type { Heartbeat } from "../realms/realm-liveness.ts";
import { mergeUpdates, type RealmUpdate, type RealmWrite } from "../realms/realm-write.ts";
import { type DecodedMessage, decodeHeartbeat, decodeMessage, type Rejection } from "./decode-message.ts";
import { consumeStream, readStoredMessages } from "./stream-consumer.ts";

export type IngestOptions = {
  readonly bus: NatsBus;
  readonly clock: Clock;
  readonly log: Pick<Log, "info" | "warn">;
  /** Returns true when the realms document lists the realm. */
  readonly isListed: (realm: string) => boolean;
  /** Writes a batch of a realm. Rejects when that fails; then the messages are delivered again. */
  readonly write: (batch: RealmWrite) => Promise<void>;
  /** Prefix of the consumers that aggregators share; undefined to read everything at each connection. */
  readonly consumerPrefix: string | undefined;
  /** Maximum age of history records, ms. */
  readonly historyRetentionMs: number;
  readonly events: IngestEvents;
};

/** Callbacks of ingest besides `write`. None may throw. */
export type IngestEvents = {
  onHeartbeat(heartbeat: Heartbeat): void;
  onRejected(rejection: Rejection): void;
  /** Called when a message of an unlisted realm was skipped. */
  onUnlisted(realm: string): void;
  onWritten(batch: RealmWrite): void;
  /** Called with the time at which the realm's newest message was stored, Unix ms. */
  onStored(realm: string, atMs: number): void;
};

export type Ingest = {
  /** True when every message that the state stream held at the last connection has been written. */
  caughtUp(): boolean;
  /** Error that interrupts ingest although NATS is connected; empty when there is none. */
  error(): string;
  close(): Promise<void>;
};

const retryAfterMs = 1_000;

/** Consumes what realms publish until it is closed: each message is written, then acknowledged. */
export function openIngest(options: IngestOptions): Ingest {
  const { bus, clock, log, events } = options;
  const closing = new AbortController();
  const running = new Set<Promise<void>>();
  const errors = new Map<string, string>();
  let caughtUp = false;

  const clearError = (stream: string): void => void errors.delete(stream);
  const reportError = (stream: string, error: unknown): void => {
    const why = error instanceof Error ? error.message : String(error);
    if (errors.get(stream) !== why) log.warn({ stream, why }, "ingest: interrupted, retrying");
    errors.set(stream, why);
  };
  /** Consumes one stream over one connection until the connection is lost; retries after errors. */
  async function run(connection: NatsConnection, stream: string, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await logStreamProblems(connection, log);
        clearError(stream);
        await consumeStream(connection, consumerOptionsOf(stream, options), {
          signal,
          clock,
          onBatch: async ({ messages, pending }) => {
            const why = await writeBatch(messages, options);
            if (why === undefined) clearError(stream);
            else reportError(stream, why);
            if (pending === 0 && stream === stateStream.name) caughtUp = true;
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
      markEmptyAsCaughtUp(connection, () => (caughtUp = true)),
    ]).then(stopDown);
    running.add(session);
    void session.finally(() => running.delete(session));
  });
  const stopHeartbeats = bus.subscribe(allHeartbeatsSubject, (message) => {
    const heartbeat = decodeHeartbeat(message.subject, message.data);
    if (!heartbeat.ok) return events.onRejected(heartbeat.error);
    if (options.isListed(heartbeat.value.realm)) events.onHeartbeat(heartbeat.value);
    else events.onUnlisted(heartbeat.value.realm);
  });

  return {
    caughtUp: () => caughtUp,
    error: () => [...errors].map(([stream, why]) => `${stream}: ${why}`).join("; "),
    async close() {
      stopUp();
      stopHeartbeats();
      closing.abort();
      await Promise.all(running);
    },
  };
}

const consumerOptionsOf = (stream: string, { consumerPrefix, clock, historyRetentionMs }: IngestOptions) => ({
  stream,
  durable: consumerPrefix === undefined ? undefined : `${consumerPrefix}-${stream}`,
  sinceMs: stream === eventStream.name ? Math.max(0, clock.now() - historyRetentionMs) : 0,
});

async function logStreamProblems(connection: NatsConnection, log: Pick<Log, "warn">): Promise<void> {
  const problems = await ensureStreams(await connection.jetstreamManager(), [stateStream, eventStream]);
  for (const problem of problems) log.warn({ problem }, "NATS: a stream is misconfigured");
}

/** Marks an empty state stream as caught up: it delivers no message whose pending count could be 0. */
async function markEmptyAsCaughtUp(connection: NatsConnection, mark: () => void): Promise<void> {
  try {
    const jsm = await connection.jetstreamManager();
    await ensureStreams(jsm, [stateStream, eventStream]);
    if ((await jsm.streams.info(stateStream.name)).state.messages === 0) mark();
  } catch {
    // The consumer of the stream meets and reports the same error.
  }
}

/**
 * Writes a batch and acknowledges it.
 *
 * @returns the error when the batch was not written and is delivered again; undefined when it was written
 * @throws the error when the consumer is not shared
 */
async function writeBatch(messages: readonly JsMsg[], options: IngestOptions): Promise<unknown> {
  const shared = options.consumerPrefix !== undefined;
  try {
    await writeMessages(messages, options);
  } catch (error) {
    if (!shared) throw error;
    // Another aggregator may be able to write; unacknowledged messages are not lost.
    for (const message of messages) message.nak(retryAfterMs);
    return error;
  }
  if (shared) for (const message of messages) message.ack();
  return undefined;
}

type WriteOptions = Pick<IngestOptions, "isListed" | "write" | "events">;

/** Writes messages realm by realm. Rejected messages and those of unlisted realms are reported and skipped. */
async function writeMessages(messages: readonly JsMsg[], { isListed, write, events }: WriteOptions): Promise<void> {
  const byRealm = new Map<string, RealmUpdate[]>();
  const storedAtMs = new Map<string, number>();
  for (const message of messages) {
    const decoded = decodeMessage(message.subject, message.data);
    if (!decoded.ok) events.onRejected(decoded.error);
    else if (!isListed(decoded.value.realm)) events.onUnlisted(decoded.value.realm);
    else add(decoded.value, message);
  }
  await Promise.all(
    [...byRealm].map(async ([realm, updates]) => {
      const batch = mergeUpdates(realm, updates);
      await write(batch);
      events.onWritten(batch);
    }),
  );
  for (const [realm, atMs] of storedAtMs) events.onStored(realm, atMs);

  function add({ realm, update }: DecodedMessage, message: JsMsg): void {
    const list = byRealm.get(realm);
    if (list === undefined) byRealm.set(realm, [update]);
    else list.push(update);
    const atMs = message.info.timestampNanos / 1e6;
    storedAtMs.set(realm, Math.max(storedAtMs.get(realm) ?? 0, Math.floor(atMs)));
  }
}

export type StreamReplay = {
  readonly stream: "state" | "events";
  /** Start, Unix ms; 0 for everything. */
  readonly sinceMs: number;
  readonly options: WriteOptions;
};

/** Writes all messages of a stream again. Resolves when done; rejects when NATS or the store is away. */
export async function replayStream(
  connection: NatsConnection,
  { stream, sinceMs, options }: StreamReplay,
): Promise<void> {
  await ensureStreams(await connection.jetstreamManager(), [stateStream, eventStream]);
  const { name } = stream === "state" ? stateStream : eventStream;
  await readStoredMessages(connection, { stream: name, sinceMs }, (messages) => writeMessages(messages, options));
}
