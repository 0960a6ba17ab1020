import type { Clock } from "@realmwatch/shared/model/clock";
import { backoffMs } from "@realmwatch/shared/platform/backoff";
import type { Log } from "@realmwatch/shared/platform/log/log";
import { WarningLimit } from "@realmwatch/shared/platform/log/warning-limit";
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
type PublishCounts = {
  stored: number;
  failed: number;
  /** Number and size of the messages handed to NATS, repeated ones included. */
  sent: number;
  sentBytes: number;
  /** Failed messages by the kind of failure. */
  readonly failures: Map<PublishFailure["kind"], number>;
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

const maxPayloadOf = (bus: NatsBus): number => bus.live()?.info?.max_payload ?? defaultMaxPayload;

type JetStreamSenderOptions = {
  readonly bus: NatsBus;
  readonly clock: Clock;
  readonly log: Pick<Log, "warn">;
  /** Factor in [0, 1) that spreads the retries of different agents. */
  readonly jitter: number;
  /** Called with the time that an acknowledgement took, ms. Default: not called. */
  readonly acknowledged?: ((tookMs: number) => void) | undefined;
};

/**
 * Publishes to JetStream, which needs no permission but to publish on the subject and to receive on the own inbox.
 * After a failure it pauses, with exponential backoff up to 30 s, to spare a full broker.
 */
export class JetStreamSender {
  readonly counts: PublishCounts = { stored: 0, failed: 0, sent: 0, sentBytes: 0, failures: new Map() };
  readonly #options: JetStreamSenderOptions;
  readonly #listeners = new Set<() => void>();
  readonly #resetListeners = new Set<(stream: string) => void>();
  readonly #warnings: WarningLimit;
  /** Error of the last message and greatest acknowledged sequence, by stream. */
  readonly #errors = new Map<string, string>();
  readonly #greatestSeq = new Map<string, number>();
  readonly #stopUp: () => void;
  /** Number of pauses since the last acknowledged message or connection. */
  #pauses = 0;
  #paused = false;
  #held = false;
  #closed = false;
  #cancelPause = (): void => {};
  #jetStream: { readonly of: NatsConnection; readonly client: JetStreamClient } | undefined;

  constructor(options: JetStreamSenderOptions) {
    this.#options = options;
    this.#warnings = new WarningLimit(options.clock);
    this.#stopUp = options.bus.onUp(() => {
      this.#pauses = 0;
      this.#resume();
    });
  }

  /** Publishes a message. Never rejects; a failure pauses the sender. */
  async send(message: JetStreamMessage): Promise<SendResult> {
    const { bus, clock, acknowledged } = this.#options;
    const { subject, data, messageId } = message;
    const connection = bus.live();
    if (!connection || this.#closed) return { kind: "unknown" };
    const stream = streamOfSubject(subject);
    const seqBefore = this.#greatestSeq.get(stream) ?? 0;
    const sentAtMs = clock.monotonic();
    this.counts.sent++;
    this.counts.sentBytes += data.length;
    try {
      if (this.#jetStream?.of !== connection) this.#jetStream = { of: connection, client: connection.jetstream() };
      const ack = await this.#jetStream.client.publish(subject, data, {
        timeout: ackTimeoutMs,
        ...(messageId === undefined ? {} : { msgID: messageId }),
      });
      acknowledged?.(clock.monotonic() - sentAtMs);
      return this.#noteStored(stream, ack, seqBefore);
    } catch (thrown) {
      return this.#fail(message, thrown);
    }
  }

  /** True when a send may succeed now: connected, not paused and not held. */
  isOpen(): boolean {
    return !this.#paused && !this.#held && !this.#closed && this.#options.bus.live() !== undefined;
  }

  /** Calls `listen` each time the sender becomes open. */
  onOpen(listen: () => void): void {
    this.#listeners.add(listen);
  }

  /** Calls `listen` when a stream has lost messages that it had acknowledged: it was made anew, or restored. */
  onStreamReset(listen: (stream: string) => void): void {
    this.#resetListeners.add(listen);
  }

  /** Resolves when the sender is open or `signal` has aborted. */
  whenOpen(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.#listeners.delete(done);
        signal.removeEventListener("abort", done);
        resolve();
      };
      if (this.isOpen() || signal.aborted) return resolve();
      this.#listeners.add(done);
      signal.addEventListener("abort", done);
    });
  }

  /** Holds the sender closed, while the aggregator follows another agent of the realm or is not yet known. */
  setHeld(held: boolean): void {
    this.#held = held;
    this.#notifyOpen();
  }

  /** Size of the largest message that NATS takes, without its headers, bytes. */
  maxMessageBytes(): number {
    return maxPayloadOf(this.#options.bus) - headerBytes;
  }

  /** Number of the present connection: the next one may have other limits and permissions. */
  connection(): number {
    return this.#options.bus.connections();
  }

  /** Error of the last message to a stream, or to any; empty when it succeeded. */
  lastError(stream?: string): string {
    const error = stream === undefined ? [...this.#errors.values()][0] : this.#errors.get(stream);
    return error ?? "";
  }

  close(): void {
    this.#closed = true;
    this.#stopUp();
    this.#cancelPause();
    this.#listeners.clear();
    this.#resetListeners.clear();
  }

  #notifyOpen(): void {
    if (this.isOpen()) for (const listen of [...this.#listeners]) listen();
  }

  #resume(): void {
    this.#cancelPause();
    this.#paused = false;
    this.#notifyOpen();
  }

  #pause(longestMs: number): void {
    if (this.#paused || this.#closed) return;
    this.#paused = true;
    this.#pauses += 1;
    const pauseMs = backoffMs({ firstMs: firstPauseMs, longestMs }, this.#pauses);
    const { clock, jitter } = this.#options;
    this.#cancelPause = clock.after(pauseMs * (0.75 + jitter / 2), () => this.#resume());
  }

  #warn(subject: string, why: string): void {
    if (this.#warnings.isDue(why)) this.#options.log.warn({ subject, why }, "publisher: NATS did not store a message");
  }

  #fail({ subject, data }: JetStreamMessage, error: unknown): SendResult {
    const { bus } = this.#options;
    const { failures } = this.counts;
    const { kind, why } = explainPublishError(error, { subject, size: data.length, mostBytes: maxPayloadOf(bus) });
    failures.set(kind, (failures.get(kind) ?? 0) + 1);
    if (kind === "too_large" || kind === "permission") {
      this.#warn(subject, why);
      return { kind: "refused", cause: kind, reason: why };
    }
    this.counts.failed++;
    if (bus.live() && !this.#closed) {
      this.#errors.set(streamOfSubject(subject), why);
      this.#warn(subject, why);
    }
    this.#pause(kind === "no_stream" ? missingStreamPauseMs : maxPauseMs);
    return { kind: "unknown" };
  }

  /** @param seqBefore greatest acknowledged sequence at the time of sending; a smaller one shows that messages are lost */
  #noteStored(stream: string, { seq, duplicate }: PubAck, seqBefore: number): SendResult {
    this.counts.stored++;
    this.#errors.delete(stream);
    this.#pauses = 0;
    const greatest = this.#greatestSeq.get(stream) ?? 0;
    const isReset = !duplicate && seq <= seqBefore && seqBefore <= greatest;
    this.#greatestSeq.set(stream, isReset ? seq : Math.max(seq, greatest));
    if (isReset) for (const listen of [...this.#resetListeners]) listen(stream);
    return { kind: "stored" };
  }
}
