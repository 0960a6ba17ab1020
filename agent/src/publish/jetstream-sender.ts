import type { Clock } from "@realmwatch/shared/model/clock";
import { backoffMs } from "@realmwatch/shared/platform/backoff";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { streamOfSubject } from "@realmwatch/shared/wire/nats/nats-subjects";
import type { JetStreamClient, NatsConnection, PubAck } from "nats";
import { explainPublishError, type PublishFailure, type RefusedMessageCause } from "./publish-failure.ts";

/**
 * Result of a publish. `unknown`: the message may have been stored, send it again. `refused`: it is too large or without
 * permission, which may change with the next connection; other messages may be sent.
 */
export type SendResult =
  | { readonly kind: "stored" }
  | { readonly kind: "unknown" }
  | { readonly kind: "refused"; readonly cause: RefusedMessageCause; readonly reason: string };

type JetStreamMessage = {
  readonly subject: string;
  readonly data: Uint8Array;
  /** Id by which the broker deduplicates the message. */
  readonly messageId?: string;
};

/** Counts since the start. */
export type PublishCounts = {
  stored: number;
  failed: number;
  /** Number and size of the messages handed to NATS, repeated ones included. */
  sent: number;
  sentBytes: number;
  /** Failed messages by the kind of failure. */
  readonly failures: Map<PublishFailure["kind"], number>;
};

export type JetStreamSender = {
  /** Publishes a message. Never rejects; a failure pauses the sender. */
  send(message: JetStreamMessage): Promise<SendResult>;
  /** True when a send may succeed now: connected, not paused and not held. */
  isOpen(): boolean;
  /** Calls `listen` each time the sender becomes open. */
  onOpen(listen: () => void): void;
  /** Calls `listen` when a stream has lost messages that it had acknowledged: it was made anew, or restored. */
  onStreamReset(listen: (stream: string) => void): void;
  /** Resolves when the sender is open or `signal` has aborted. */
  whenOpen(signal: AbortSignal): Promise<void>;
  /** Holds the sender closed, while the aggregator follows another agent of the realm or is not yet known. */
  setHeld(held: boolean): void;
  /** Size of the largest message that NATS takes, without its headers, bytes. */
  maxMessageBytes(): number;
  /** Number of the present connection: the next one may have other limits and permissions. */
  connection(): number;
  /** Error of the last message to a stream, or to any; empty when it succeeded. */
  lastError(stream?: string): string;
  readonly counts: PublishCounts;
  close(): void;
};

/** Limit of a NATS server by default, bytes. */
const defaultMaxPayload = 1024 * 1024;
/** Size that the headers of a message may have, bytes; the limit of NATS includes them. */
const headerBytes = 512;
const ackTimeoutMs = 5_000;
const firstPauseMs = 250;
const maxPauseMs = 30_000;
/** Longest pause while a stream does not exist: such an attempt is cheap for the broker. */
const missingStreamPauseMs = 2_000;
const repeatWarningAfterMs = 60_000;

const maxPayloadOf = (bus: NatsBus): number => bus.live()?.info?.max_payload ?? defaultMaxPayload;

/**
 * Publishes to JetStream, which needs no permission but to publish on the subject and to receive on the own inbox.
 * After a failure it pauses, with exponential backoff up to 30 s, to spare a full broker.
 */
export function openJetStreamSender(io: {
  readonly bus: NatsBus;
  readonly clock: Clock;
  readonly log: Pick<Log, "warn">;
  /** Factor in [0, 1) that spreads the retries of different agents. */
  readonly jitter: number;
  /** Called with the time that an acknowledgement took, ms. Default: not called. */
  readonly acknowledged?: ((tookMs: number) => void) | undefined;
}): JetStreamSender {
  const { bus, clock, log } = io;
  const listeners = new Set<() => void>();
  const resetListeners = new Set<(stream: string) => void>();
  const warnedAtMs = new Map<string, number>();
  const counts: PublishCounts = { stored: 0, failed: 0, sent: 0, sentBytes: 0, failures: new Map() };
  /** Error of the last message and greatest acknowledged sequence, by stream. */
  const errors = new Map<string, string>();
  const greatestSeq = new Map<string, number>();
  /** Number of pauses since the last acknowledged message or connection. */
  let pauses = 0;
  let paused = false;
  let held = false;
  let closed = false;
  let cancelPause = (): void => {};
  let jetStream: { readonly of: NatsConnection; readonly client: JetStreamClient } | undefined;

  const isOpen = (): boolean => !paused && !held && !closed && bus.live() !== undefined;
  const notifyOpen = (): void => {
    if (isOpen()) for (const listen of [...listeners]) listen();
  };
  const resume = (): void => {
    cancelPause();
    paused = false;
    notifyOpen();
  };
  const stopUp = bus.onUp(() => {
    pauses = 0;
    resume();
  });

  function warn(subject: string, why: string): void {
    const last = warnedAtMs.get(why);
    if (last !== undefined && clock.monotonic() - last < repeatWarningAfterMs) return;
    if (warnedAtMs.size > 100) warnedAtMs.clear();
    warnedAtMs.set(why, clock.monotonic());
    log.warn({ subject, why }, "publisher: NATS did not store a message");
  }

  function pause(longestMs: number): void {
    if (paused || closed) return;
    paused = true;
    pauses += 1;
    const pauseMs = backoffMs({ firstMs: firstPauseMs, longestMs }, pauses);
    cancelPause = clock.after(pauseMs * (0.75 + io.jitter / 2), resume);
  }

  function fail({ subject, data }: JetStreamMessage, error: unknown): SendResult {
    const { kind, why } = explainPublishError(error, { subject, size: data.length, mostBytes: maxPayloadOf(bus) });
    counts.failures.set(kind, (counts.failures.get(kind) ?? 0) + 1);
    if (kind === "too_large" || kind === "permission") {
      warn(subject, why);
      return { kind: "refused", cause: kind, reason: why };
    }
    counts.failed++;
    if (bus.live() && !closed) {
      errors.set(streamOfSubject(subject), why);
      warn(subject, why);
    }
    pause(kind === "no_stream" ? missingStreamPauseMs : maxPauseMs);
    return { kind: "unknown" };
  }

  /** @param seqBefore greatest acknowledged sequence at the time of sending; a smaller one shows that messages are lost */
  function noteStored(stream: string, { seq, duplicate }: PubAck, seqBefore: number): SendResult {
    counts.stored++;
    errors.delete(stream);
    pauses = 0;
    const greatest = greatestSeq.get(stream) ?? 0;
    const isReset = !duplicate && seq <= seqBefore && seqBefore <= greatest;
    greatestSeq.set(stream, isReset ? seq : Math.max(seq, greatest));
    if (isReset) for (const listen of [...resetListeners]) listen(stream);
    return { kind: "stored" };
  }

  return {
    async send(message) {
      const { subject, data, messageId } = message;
      const connection = bus.live();
      if (!connection || closed) return { kind: "unknown" };
      const stream = streamOfSubject(subject);
      const seqBefore = greatestSeq.get(stream) ?? 0;
      const sentAtMs = clock.monotonic();
      counts.sent++;
      counts.sentBytes += data.length;
      try {
        if (jetStream?.of !== connection) jetStream = { of: connection, client: connection.jetstream() };
        const ack = await jetStream.client.publish(subject, data, {
          timeout: ackTimeoutMs,
          ...(messageId === undefined ? {} : { msgID: messageId }),
        });
        io.acknowledged?.(clock.monotonic() - sentAtMs);
        return noteStored(stream, ack, seqBefore);
      } catch (thrown) {
        return fail(message, thrown);
      }
    },
    isOpen,
    onOpen: (listen) => void listeners.add(listen),
    onStreamReset: (listen) => void resetListeners.add(listen),
    whenOpen: (signal) =>
      new Promise((resolve) => {
        const done = (): void => {
          listeners.delete(done);
          signal.removeEventListener("abort", done);
          resolve();
        };
        if (isOpen() || signal.aborted) return resolve();
        listeners.add(done);
        signal.addEventListener("abort", done);
      }),
    setHeld(now) {
      held = now;
      notifyOpen();
    },
    connection: bus.connections,
    maxMessageBytes: () => maxPayloadOf(bus) - headerBytes,
    lastError: (stream) => (stream === undefined ? ([...errors.values()][0] ?? "") : (errors.get(stream) ?? "")),
    counts,
    close() {
      closed = true;
      stopUp();
      cancelPause();
      listeners.clear();
      resetListeners.clear();
    },
  };
}
