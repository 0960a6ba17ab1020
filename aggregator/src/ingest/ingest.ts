import { type Clock, sleep } from "@realmwatch/shared/model/clock";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { ensureStreams } from "@realmwatch/shared/platform/nats/nats-streams";
import { eventStream, allHeartbeatsSubject, stateStream } from "@realmwatch/shared/wire/nats/nats-subjects";
import type { JsMsg, NatsConnection } from "nats";
import type { Heartbeat } from "../realms/realm-liveness.ts";
import { mergeUpdates, type RealmWrite, type RealmUpdate } from "../realms/realm-write.ts";
import { type DecodedMessage, type Rejection, decodeHeartbeat, decodeMessage } from "./decode-message.ts";
import { consumeStream, readStoredMessages } from "./stream-consumer.ts";

export type IngestOptions = {
  readonly bus: NatsBus;
  readonly clock: Clock;
  readonly log: Pick<Log, "info" | "warn">;
  /** Whether a realm is one of ours. */
  readonly isListed: (realm: string) => boolean;
  /** Keeps what a realm says. Rejects where it cannot be kept: then it comes again. */
  readonly write: (batch: RealmWrite) => Promise<void>;
  /** Prefix of the consumers that all aggregators of one Redis share; undefined reads everything at each connection. */
  readonly consumerPrefix: string | undefined;
  /** How old history may be, ms. */
  readonly historyRetentionMs: number;
  readonly events: IngestEvents;
};

/** What ingest has to tell beside what it writes. Nothing here may throw. */
export type IngestEvents = {
  onHeartbeat(heartbeat: Heartbeat): void;
  onRejected(rejection: Rejection): void;
  /** Messages of a realm that is not ours were passed over. */
  onUnlisted(realm: string): void;
  onWritten(batch: RealmWrite): void;
  /** The newest instant at which a message of the realm was stored, Unix ms. */
  onStored(realm: string, atMs: number): void;
};

export type Ingest = {
  /** Whether everything that the state stream held at the last connection has been written. */
  caughtUp(): boolean;
  /** Why nothing comes in although NATS is there; empty where all is well. */
  error(): string;
  close(): Promise<void>;
};

const retryAfterMs = 1_000;

/** Brings in what realms publish, for as long as it is open: each message is written, then acknowledged. */
export function openIngest(options: IngestOptions): Ingest {
  const { bus, clock, log, events } = options;
  const closing = new AbortController();
  const running = new Set<Promise<void>>();
  const errors = new Map<string, string>();
  let caughtUp = false;

  const clearError = (stream: string): void => void errors.delete(stream);
  const reportError = (stream: string, error: unknown): void => {
    const why = error instanceof Error ? error.message : String(error);
    if (errors.get(stream) !== why) log.warn({ stream, why }, "ingest: interrupted, trying again");
    errors.set(stream, why);
  };
  /** Follows one stream over one connection until that is lost, again and again. */
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
  for (const problem of problems) log.warn({ problem }, "NATS: a stream cannot work as it is");
}

/** A stream without messages never delivers the one after which nothing is pending. */
async function markEmptyAsCaughtUp(connection: NatsConnection, mark: () => void): Promise<void> {
  try {
    const jsm = await connection.jetstreamManager();
    await ensureStreams(jsm, [stateStream, eventStream]);
    if ((await jsm.streams.info(stateStream.name)).state.messages === 0) mark();
  } catch {
    // What follows the stream finds the same trouble and tells it.
  }
}

/**
 * @returns why the batch could not be written and has been given back; undefined where it was written
 * @throws what kept it from being written where nobody else reads along
 */
async function writeBatch(messages: readonly JsMsg[], options: IngestOptions): Promise<unknown> {
  const shared = options.consumerPrefix !== undefined;
  try {
    await writeMessages(messages, options);
  } catch (error) {
    if (!shared) throw error;
    // Another aggregator may be luckier; nothing is lost while it is not acknowledged.
    for (const message of messages) message.nak(retryAfterMs);
    return error;
  }
  if (shared) for (const message of messages) message.ack();
  return undefined;
}

type WriteOptions = Pick<IngestOptions, "isListed" | "write" | "events">;

/** Writes what messages say, realm by realm; what is not understood, or not ours, is told and left out. */
async function writeMessages(messages: readonly JsMsg[], { isListed, write, events }: WriteOptions): Promise<void> {
  const byRealm = new Map<string, RealmUpdate[]>();
  const storedAtMs = new Map<string, number>();
  for (const message of messages) {
    const heard = decodeMessage(message.subject, message.data);
    if (!heard.ok) events.onRejected(heard.error);
    else if (!isListed(heard.value.realm)) events.onUnlisted(heard.value.realm);
    else note(heard.value, message);
  }
  await Promise.all(
    [...byRealm].map(async ([realm, told]) => {
      const batch = mergeUpdates(realm, told);
      await write(batch);
      events.onWritten(batch);
    }),
  );
  for (const [realm, atMs] of storedAtMs) events.onStored(realm, atMs);

  function note({ realm, update }: DecodedMessage, message: JsMsg): void {
    const list = byRealm.get(realm);
    if (list === undefined) byRealm.set(realm, [update]);
    else list.push(update);
    const atMs = message.info.timestampNanos / 1e6;
    storedAtMs.set(realm, Math.max(storedAtMs.get(realm) ?? 0, Math.floor(atMs)));
  }
}

export type StreamReplay = {
  readonly stream: "state" | "events";
  /** From when on, Unix ms; 0 means everything. */
  readonly sinceMs: number;
  readonly options: WriteOptions;
};

/** Writes again what a stream holds. Resolves when that is done; rejects where NATS or the store is away. */
export async function replayStream(connection: NatsConnection, { stream, sinceMs, options }: StreamReplay): Promise<void> {
  await ensureStreams(await connection.jetstreamManager(), [stateStream, eventStream]);
  const { name } = stream === "state" ? stateStream : eventStream;
  await readStoredMessages(connection, { stream: name, sinceMs }, (messages) => writeMessages(messages, options));
}
