import type { Clock } from "@realmwatch/shared/model/clock";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { ErrorCode, type JetStreamClient, type NatsConnection, NatsError } from "nats";

/** `unknown`: it may have arrived; send it again. `refused`: it never will. */
export type SendResult =
  | { readonly kind: "kept"; readonly stream: string; readonly streamSeq: number }
  | { readonly kind: "unknown" }
  | { readonly kind: "refused" };

export type JetStreamMessage = {
  readonly subject: string;
  readonly data: Uint8Array;
  /** What the broker knows repetitions by. */
  readonly messageId?: string;
};

export type JetStreamSender = {
  /** Never rejects. A failure closes the sender for a while. */
  send(message: JetStreamMessage): Promise<SendResult>;
  /** Whether sending makes sense now. */
  isOpen(): boolean;
  /** Calls `listen` each time that the sender opens. */
  onOpen(listen: () => void): void;
  /** Calls `listen` where nobody takes a message: its stream is gone. */
  onStreamMissing(listen: () => void): void;
  /** Resolves when it is open or `signal` has aborted. */
  whenOpen(signal: AbortSignal): Promise<void>;
  /** Keeps it shut for as long as somebody else speaks for the realm. */
  setHeld(held: boolean): void;
  /** Why the last message failed; empty where it did not. */
  lastError(): string;
  readonly counts: { kept: number; failed: number; refused: number };
  close(): void;
};

const answerWithinMs = 5_000;
const firstPauseMs = 250;
const longestPauseMs = 30_000;
const sameWarningEveryMs = 60_000;

/** Publishes to JetStream. After a failure nobody tries for a while that doubles up to 30 s: a full broker is not to be stormed. */
export function openJetStreamSender(io: {
  readonly bus: NatsBus;
  readonly clock: Clock;
  readonly log: Pick<Log, "warn">;
  /** In [0, 1): moves this agent's attempts away from the other agents'. */
  readonly jitter: number;
}): JetStreamSender {
  const { bus, clock, log } = io;
  const listeners = new Set<() => void>();
  const streamless = new Set<() => void>();
  const warnedAtMs = new Map<string, number>();
  const counts = { kept: 0, failed: 0, refused: 0 };
  let pauseMs = firstPauseMs;
  let paused = false;
  let held = false;
  let closed = false;
  let trouble = "";
  let cancelPause = (): void => {};
  let stream: { readonly of: NatsConnection; readonly client: JetStreamClient } | undefined;

  const open = (): boolean => !paused && !held && !closed && bus.live() !== undefined;
  const tell = (): void => {
    if (open()) for (const listen of [...listeners]) listen();
  };
  const resume = (): void => {
    cancelPause();
    paused = false;
    tell();
  };
  const stopUp = bus.onUp(() => {
    pauseMs = firstPauseMs;
    resume();
  });

  function warn(subject: string, why: string): void {
    trouble = `${subject}: ${why}`;
    const family = `${subject.split(".").slice(0, 4).join(".")}: ${why}`;
    const last = warnedAtMs.get(family);
    if (last !== undefined && clock.monotonic() - last < sameWarningEveryMs) return;
    if (warnedAtMs.size > 100) warnedAtMs.clear();
    warnedAtMs.set(family, clock.monotonic());
    log.warn({ subject, why }, "publisher: NATS did not keep a message, trying again");
  }

  function pause(): void {
    if (paused || closed) return;
    paused = true;
    cancelPause = clock.after(pauseMs * (0.75 + io.jitter / 2), resume);
    pauseMs = Math.min(longestPauseMs, pauseMs * 2);
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
    if (error instanceof NatsError && error.code === ErrorCode.NoResponders) for (const listen of streamless) listen();
    return { kind: "unknown" };
  }

  return {
    async send({ subject, data, messageId }) {
      const connection = bus.live();
      if (!connection || closed) return { kind: "unknown" };
      try {
        if (stream?.of !== connection) stream = { of: connection, client: connection.jetstream() };
        const ack = await stream.client.publish(subject, data, {
          timeout: answerWithinMs,
          ...(messageId === undefined ? {} : { msgID: messageId }),
        });
        counts.kept++;
        [trouble, pauseMs] = ["", firstPauseMs];
        return { kind: "kept", stream: ack.stream, streamSeq: ack.seq };
      } catch (error) {
        return fail(subject, error);
      }
    },
    isOpen,
    onOpen: (listen) => void listeners.add(listen),
    onStreamMissing: (listen) => void streamless.add(listen),
    whenOpen: (signal) =>
      new Promise((resolve) => {
        const done = (): void => {
          listeners.delete(done);
          signal.removeEventListener("abort", done);
          resolve();
        };
        if (open() || signal.aborted) return resolve();
        listeners.add(done);
        signal.addEventListener("abort", done);
      }),
    setHeld(now) {
      held = now;
      tell();
    },
    lastError: () => trouble,
    counts,
    close() {
      closed = true;
      stopUp();
      cancelPause();
      listeners.clear();
      streamless.clear();
    },
  };
}
