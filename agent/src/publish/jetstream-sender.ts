import type { Clock } from "@realmwatch/shared/model/clock";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { ErrorCode, type JetStreamClient, type NatsConnection, NatsError } from "nats";

/** Result of a publish. `unknown`: the message may have been stored, send it again. `refused`: it never will be. */
export type SendResult =
  | { readonly kind: "stored"; readonly stream: string; readonly streamSeq: number }
  | { readonly kind: "unknown" }
  | { readonly kind: "refused" };

export type JetStreamMessage = {
  readonly subject: string;
  readonly data: Uint8Array;
  /** Id by which the broker deduplicates the message. */
  readonly messageId?: string;
};

export type JetStreamSender = {
  /** Publishes a message. Never rejects; a failure pauses the sender. */
  send(message: JetStreamMessage): Promise<SendResult>;
  /** True when a send may succeed now: connected, not paused and not held. */
  isOpen(): boolean;
  /** Calls `listen` each time the sender becomes open. */
  onOpen(listen: () => void): void;
  /** Calls `listen` when a message had no responder, because its stream does not exist. */
  onStreamMissing(listen: () => void): void;
  /** Resolves when the sender is open or `signal` has aborted. */
  whenOpen(signal: AbortSignal): Promise<void>;
  /** Holds the sender closed while another agent publishes the realm. */
  setHeld(held: boolean): void;
  /** Error of the last message; empty when it succeeded. */
  lastError(): string;
  readonly counts: { stored: number; failed: number; refused: number };
  close(): void;
};

const ackTimeoutMs = 5_000;
const firstPauseMs = 250;
const maxPauseMs = 30_000;
const repeatWarningAfterMs = 60_000;

/** Publishes to JetStream. After a failure it pauses, with exponential backoff up to 30 s, to spare a full broker. */
export function openJetStreamSender(io: {
  readonly bus: NatsBus;
  readonly clock: Clock;
  readonly log: Pick<Log, "warn">;
  /** Factor in [0, 1) that spreads the retries of different agents. */
  readonly jitter: number;
}): JetStreamSender {
  const { bus, clock, log } = io;
  const listeners = new Set<() => void>();
  const streamMissingListeners = new Set<() => void>();
  const warnedAtMs = new Map<string, number>();
  const counts = { stored: 0, failed: 0, refused: 0 };
  let pauseMs = firstPauseMs;
  let paused = false;
  let held = false;
  let closed = false;
  let error = "";
  let cancelPause = (): void => {};
  let stream: { readonly of: NatsConnection; readonly client: JetStreamClient } | undefined;

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
    pauseMs = firstPauseMs;
    resume();
  });

  function warn(subject: string, why: string): void {
    error = `${subject}: ${why}`;
    const warningKey = `${subject.split(".").slice(0, 4).join(".")}: ${why}`;
    const last = warnedAtMs.get(warningKey);
    if (last !== undefined && clock.monotonic() - last < repeatWarningAfterMs) return;
    if (warnedAtMs.size > 100) warnedAtMs.clear();
    warnedAtMs.set(warningKey, clock.monotonic());
    log.warn({ subject, why }, "publisher: NATS did not store a message, retrying");
  }

  function pause(): void {
    if (paused || closed) return;
    paused = true;
    cancelPause = clock.after(pauseMs * (0.75 + io.jitter / 2), resume);
    pauseMs = Math.min(maxPauseMs, pauseMs * 2);
  }

  function fail(subject: string, error: unknown): SendResult {
    const why = error instanceof Error ? error.message : String(error);
    if (error instanceof NatsError && error.code === ErrorCode.MaxPayloadExceeded) {
      counts.refused++;
      warn(subject, "larger than the broker's max_payload, left out");
      return { kind: "refused" };
    }
    counts.failed++;
    if (bus.live() && !closed) warn(subject, why);
    pause();
    if (error instanceof NatsError && error.code === ErrorCode.NoResponders)
      for (const listen of streamMissingListeners) listen();
    return { kind: "unknown" };
  }

  return {
    async send({ subject, data, messageId }) {
      const connection = bus.live();
      if (!connection || closed) return { kind: "unknown" };
      try {
        if (stream?.of !== connection) stream = { of: connection, client: connection.jetstream() };
        const ack = await stream.client.publish(subject, data, {
          timeout: ackTimeoutMs,
          ...(messageId === undefined ? {} : { msgID: messageId }),
        });
        counts.stored++;
        [error, pauseMs] = ["", firstPauseMs];
        return { kind: "stored", stream: ack.stream, streamSeq: ack.seq };
      } catch (thrown) {
        return fail(subject, thrown);
      }
    },
    isOpen,
    onOpen: (listen) => void listeners.add(listen),
    onStreamMissing: (listen) => void streamMissingListeners.add(listen),
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
    lastError: () => error,
    counts,
    close() {
      closed = true;
      stopUp();
      cancelPause();
      listeners.clear();
      streamMissingListeners.clear();
    },
  };
}
