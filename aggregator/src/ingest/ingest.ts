import { type Clock, sleep } from "@realmwatch/shared/model/clock";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { awaitStreams } from "@realmwatch/shared/platform/nats/nats-streams";
import {
  allHeartbeatsSubject,
  catalogSubject,
  eventStream,
  eventSubject,
  parseSubject,
  stateStream,
  stateSubjectPrefix,
} from "@realmwatch/shared/wire/nats/nats-subjects";
import { type JsMsg, type NatsConnection, nuid } from "nats";
import { epochRefusal } from "../realms/epoch-limits.ts";
import type { Heartbeat } from "../realms/realm-liveness.ts";
import { mergeUpdates, type RealmUpdate, type RealmWrite } from "../realms/realm-write.ts";
import { isReplySubjectOf } from "../realms/reply-subject.ts";
import { type DecodedMessage, decodeHeartbeat, decodeMessage, type Rejection } from "./decode-message.ts";
import { consumerTimeoutMs, consumeStream, readStoredMessages } from "./stream-consumer.ts";

export type IngestOptions = {
  readonly bus: NatsBus;
  readonly clock: Clock;
  readonly log: Pick<Log, "info" | "warn">;
  /** Returns true when the realms document lists the realm. */
  readonly isListed: (realm: string) => boolean;
  /**
   * Returns true when another aggregator that shares the store lists the realm, whose messages are then written too.
   * Otherwise the store has deleted the realm's data: what is skipped would be missing. Default: never.
   */
  readonly isListedElsewhere?: ((realm: string) => Promise<boolean>) | undefined;
  /** Writes a batch of a realm. Rejects when that fails; then the messages are delivered again. */
  readonly write: (batch: RealmWrite) => Promise<void>;
  /** Prefix of the consumers that aggregators share; undefined for consumers of this ingest, which read everything. */
  readonly consumerPrefix: string | undefined;
  /** Maximum age of history records, ms. */
  readonly historyRetentionMs: number;
  /** True for a row message that a rebuild in progress writes. Default: none. */
  readonly isRebuilt?: ((realm: string, seq: number) => boolean) | undefined;
  readonly events: IngestEvents;
};

/** Callbacks of ingest besides `write`. None may throw. */
export type IngestEvents = {
  /** `reply` sends an encoded answer to the agent; undefined when it expects none. */
  onHeartbeat(heartbeat: Heartbeat, reply: ((data: Uint8Array) => void) | undefined): void;
  onRejected(rejection: Rejection): void;
  /** The store refused a realm's rows or records; they are delivered again. */
  onWriteFailed(realm: string, why: string): void;
  /** Called when a message of an unlisted realm was skipped. */
  onUnlisted(realm: string): void;
  onWritten(batch: RealmWrite): void;
  /** Called with the time at which the realm's newest message was stored, Unix ms. */
  onStored(realm: string, atMs: number): void;
};

export type Ingest = {
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
  const { bus, clock, log, events } = options;
  const closing = new AbortController();
  const running = new Set<Promise<void>>();
  const errors = new Map<string, string>();
  /** Streams of which everything that they held at the last connection has been written. */
  const caughtUp = new Set<string>();
  // A consumer that is continued after a reconnect needs no leading group of servers, which elects at the same time.
  const ownPrefix = `memory-${nuid.next()}`;

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
  const stopHeartbeats = bus.subscribe(allHeartbeatsSubject, (message) => {
    const heartbeat = decodeHeartbeat(message.subject, message.data);
    if (!heartbeat.ok) return events.onRejected(heartbeat.error);
    const { realm } = heartbeat.value;
    if (!options.isListed(realm)) return events.onUnlisted(realm);
    const { reply: to = "" } = message;
    const isAnswerable = isReplySubjectOf(realm, to);
    if (to !== "" && !isAnswerable) events.onRejected({ realm, reason: "reply_subject" });
    events.onHeartbeat(heartbeat.value, isAnswerable ? (data) => void message.respond(data) : undefined);
  });

  return {
    caughtUp: () => caughtUp.has(stateStream.name),
    historyCaughtUp: () => caughtUp.has(eventStream.name),
    error: () => [...errors].map(([stream, why]) => `${stream}: ${why}`).join("; "),
    async close() {
      stopUp();
      stopHeartbeats();
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

/** Time that the consumer of a shared store waits for a slow realm before it reads on, ms. */
const slowWriteMs = 500;

/**
 * Writes a batch, each realm by itself, and acknowledges what was written: a realm that cannot be written delays no other.
 *
 * @returns the first error; its messages are delivered again. Undefined when everything was written, or is still on its way
 * @throws the error when the consumer is not shared
 */
async function writeBatch(messages: readonly JsMsg[], options: IngestOptions): Promise<unknown> {
  const writes = groupByRealm(messages, options).map((group) => writeGroup(group, options));
  if (options.consumerPrefix === undefined) {
    await Promise.all(writes);
    return undefined;
  }
  const settled = Promise.all(
    writes.map((write) =>
      write.then(
        () => undefined,
        (error: unknown) => error,
      ),
    ),
  );
  const errors = await Promise.race([settled, sleep(options.clock, slowWriteMs).then(() => [])]);
  return errors.find((error) => error !== undefined);
}

type RealmMessages = {
  readonly realm: string;
  readonly updates: RealmUpdate[];
  readonly messages: JsMsg[];
  storedAtMs: number;
};

type WriteOptions = Pick<IngestOptions, "clock" | "isListed" | "isListedElsewhere" | "write" | "events" | "isRebuilt">;

/** Decoded messages by realm. Rejected messages are reported, acknowledged and left out. */
function groupByRealm(messages: readonly JsMsg[], { clock, events, isRebuilt }: WriteOptions): RealmMessages[] {
  const groups = new Map<string, RealmMessages>();
  for (const message of messages) {
    if (isRebuilt !== undefined && isWrittenByRebuild(message, isRebuilt)) {
      message.ack();
      continue;
    }
    const decoded = decodeMessage(message.subject, message.data);
    const refused = decoded.ok ? refusalOf(decoded.value, clock.now()) : decoded.error;
    if (refused !== undefined) events.onRejected(refused);
    else if (decoded.ok) {
      add(decoded.value, message);
      continue;
    }
    message.ack();
  }
  return [...groups.values()];

  function add({ realm, update }: DecodedMessage, message: JsMsg): void {
    const group = groups.get(realm) ?? { realm, updates: [], messages: [], storedAtMs: 0 };
    groups.set(realm, group);
    group.updates.push(update);
    group.messages.push(message);
    group.storedAtMs = Math.max(group.storedAtMs, Math.floor(message.info.timestampNanos / 1e6));
  }
}

/** [RS23] True for a message that a rebuild writes: to decode and write it here too would double the work. */
function isWrittenByRebuild(message: JsMsg, isRebuilt: NonNullable<IngestOptions["isRebuilt"]>): boolean {
  const subject = parseSubject(message.subject);
  return subject?.kind === "row" && isRebuilt(subject.realm, message.seq);
}

/** [FD5] Rejection of an update whose epoch or revision no clock explains. */
function refusalOf({ realm, update }: DecodedMessage, nowMs: number): Rejection | undefined {
  if (update.kind === "record") return undefined;
  const { epoch, revision } =
    update.kind !== "change"
      ? { revision: 0, ...update }
      : update.change.kind === "put"
        ? update.change.row
        : update.change;
  const why = epochRefusal(epoch, revision, nowMs);
  return why === undefined ? undefined : { realm, reason: "epoch", detail: why };
}

/** Writes the updates of one realm, then acknowledges their messages, or has them delivered again. */
async function writeGroup(
  { realm, updates, messages, storedAtMs }: RealmMessages,
  options: WriteOptions,
): Promise<void> {
  const { write, events } = options;
  try {
    if (!options.isListed(realm) && !(await options.isListedElsewhere?.(realm))) {
      for (const message of messages) message.ack();
      return events.onUnlisted(realm);
    }
    const batch = mergeUpdates(realm, updates);
    await write(batch);
    events.onWritten(batch);
    events.onStored(realm, storedAtMs);
    for (const message of messages) message.ack();
  } catch (error) {
    // Another aggregator may be able to write; unacknowledged messages are not lost.
    for (const message of messages) message.nak(retryAfterMs);
    events.onWriteFailed(realm, error instanceof Error ? error.message : String(error));
    throw error;
  }
}

export type StreamReplay = {
  readonly stream: "state" | "events";
  /** Start, Unix ms; 0 for everything. */
  readonly sinceMs: number;
  /** Realms to read; undefined for all of the stream. */
  readonly realms: readonly string[] | undefined;
  readonly options: WriteOptions;
  /** Called with the stream's last sequence: all messages up to it are written. Default: not called. */
  readonly onBegin?: ((lastSeq: number) => void) | undefined;
};

/** Writes messages of a stream again. Resolves when done; rejects when NATS or the store is away. */
export async function replayStream(
  connection: NatsConnection,
  { stream, sinceMs, realms, options, onBegin }: StreamReplay,
): Promise<void> {
  const { name } = stream === "state" ? stateStream : eventStream;
  const write = async (messages: readonly JsMsg[]): Promise<void> => {
    await Promise.all(groupByRealm(messages, options).map((group) => writeGroup(group, options)));
  };
  for (const subject of subjectsOf(stream, realms))
    await readStoredMessages(connection, { stream: name, sinceMs, subject }, write, onBegin);
}

/** Number of realms above which the whole stream is read at once instead of each realm by itself. */
const maxRealmReads = 8;

/** Subjects to read for some realms; undefined stands for the whole stream. */
function subjectsOf(
  stream: "state" | "events",
  realms: readonly string[] | undefined,
): readonly (string | undefined)[] {
  if (realms === undefined || realms.length > maxRealmReads) return [undefined];
  return realms.flatMap((realm) =>
    stream === "events" ? [eventSubject(realm)] : [`${stateSubjectPrefix(realm)}.>`, catalogSubject(realm)],
  );
}
