import { connect, createInbox, ErrorCode, type Msg, type MsgHdrs, type NatsConnection, type Status } from "nats";
import type { Logger } from "pino";
import { type Clock, sleep } from "../../model/clock.ts";
import { backoffMs } from "../backoff.ts";
import { systemRandom } from "../random.ts";
import { connectionOptions, type NatsConnectionSettings } from "./connection-options.ts";
import { formatNatsError, formatStatusError, isRefusedLogin, natsErrorCode, refusedLogin } from "./nats-errors.ts";

type NatsBusOptions = NatsConnectionSettings & { readonly clock: Clock; readonly log: Pick<Logger, "info" | "warn"> };

/**
 * Permanent connection to NATS. It may be opened while NATS is unavailable and reconnects without limit. Messages are
 * not buffered while disconnected, because callers that need delivery have their own log.
 */
export type NatsBus = {
  /** The connection; undefined while disconnected. */
  live(): NatsConnection | undefined;
  /**
   * Reason why there is no connection, or why the server refused part of what was sent on it, such as a subscription above
   * a limit; without secrets. Empty while all is well.
   */
  connectionError(): string;
  /** True while there is no connection because the server refused the login at the last attempt. */
  loginRefused(): boolean;
  /** Number of times the connection was established. */
  connections(): number;
  /** Calls `listen` at once when connected, and at each new connection. Returns a function that unregisters it. */
  onUp(listen: (connection: NatsConnection) => void): () => void;
  /** Calls `listen` each time the connection is lost. Returns a function that unregisters it. */
  onDown(listen: () => void): () => void;
  /** Sends a message at once; false, and not sent, while disconnected. */
  publish(subject: string, data: Uint8Array, headers?: MsgHdrs): boolean;
  /** Subscribes, again after each reconnection. `handle` must not throw. Returns a function that unsubscribes. */
  subscribe(subject: string, handle: (message: Msg) => void, options?: { readonly queue?: string }): () => void;
  /** Returns a subject for replies, below `inboxPrefix`, that is different at each call. */
  newInbox(): string;
  /** Flushes pending messages (at most 2 s), then closes the connection permanently. */
  close(): Promise<void>;
};

/** Time after which what the server refused is tried again over a new connection, ms. */
const refusalRetryMs = 30_000;
/** Minimum time between two identical warnings, ms. */
const warningIntervalMs = 60_000;

const retryBounds = { firstMs: 200, longestMs: 5_000 };
/** Delay before attempt `attempt` (from 0), ms. */
const retryMs = (attempt: number): number => backoffMs(retryBounds, attempt + 1, systemRandom);

/**
 * Opens the bus. Returns at once and never throws: an unusable URL or file is reported by `connectionError` and the
 * log.
 */
export function openNatsBus(options: NatsBusOptions): NatsBus {
  const { clock, log } = options;
  const closing = new AbortController();
  const upListeners = new Set<(connection: NatsConnection) => void>();
  const downListeners = new Set<() => void>();
  const warnedAtMs = new Map<string, number>();
  let current: NatsConnection | undefined;
  let connected = false;
  let lastError = "not connected yet";
  let loginRefused = false;
  let count = 0;
  let attempt = 0;
  /** Time before which no further attempt begins, monotonic, ms. */
  let notBeforeMs = 0;
  let cancelRetry = (): void => {};

  const warn = (why: string): void => {
    const last = warnedAtMs.get(why);
    if (last !== undefined && clock.monotonic() - last < warningIntervalMs) return;
    if (warnedAtMs.size > 100) warnedAtMs.clear();
    warnedAtMs.set(why, clock.monotonic());
    log.warn({ nats: why }, "NATS connection failed");
  };
  const delayAttempt = (): void => {
    notBeforeMs = clock.monotonic() + retryMs(attempt);
  };
  const goUp = (connection: NatsConnection): void => {
    [current, connected, lastError, loginRefused, attempt] = [connection, true, "", false, 0];
    delayAttempt();
    count++;
    warnedAtMs.clear();
    log.info({ server: connection.getServer(), version: connection.info?.version }, "NATS connection established");
    for (const listen of [...upListeners]) listen(connection);
  };
  const goDown = (why: string, isLoginRefused = false): void => {
    [lastError, loginRefused] = [why, isLoginRefused];
    if (!closing.signal.aborted) warn(why);
    if (!connected) return;
    connected = false;
    for (const listen of [...downListeners]) listen();
  };
  const goDownWith = (error: unknown): void => goDown(formatNatsError(error), isRefusedLogin(natsErrorCode(error)));
  const onStatus = (status: Status): void => {
    if (status.type === "reconnect" && current) goUp(current);
    else if (status.type === "disconnect" || status.type === "staleConnection") {
      // A failed attempt to reconnect ends in a disconnect too, and its own reason says more.
      if (connected) goDown("connection lost");
    } else if (status.type === "reconnecting") {
      attempt += 1;
      delayAttempt();
    } else if (status.type === "error" && isRefusedLogin(status.data)) goDown(refusedLogin(status.data), true);
    else if (status.type === "error" && status.data === ErrorCode.ProtocolError) onRefusal();
    else if (status.type === "error") warn(formatStatusError(status));
  };
  /** [FD99] The library names no cause, and repeats a subscription only on a new connection. */
  const onRefusal = (): void => {
    lastError = "NATS refuses a subscription or message: a limit such as max_subscriptions is reached";
    warn(lastError);
    cancelRetry();
    cancelRetry = clock.after(refusalRetryMs, () => void current?.reconnect());
  };

  /**
   * Delay before the next attempt, ms. The library adds it to the wall clock's time of the last attempt: after that clock
   * was set back, it would wait as long as it was set back unless the delay is below every time.
   */
  function delayLeft(): number {
    const leftMs = notBeforeMs - clock.monotonic();
    return leftMs > 0 ? leftMs : Number.NEGATIVE_INFINITY;
  }

  /**
   * Runs one connection object until it closes. nats.js reconnects by itself; it closes only after a permanent failure.
   */
  async function runConnection(): Promise<void> {
    const connection = await connect({
      ...connectionOptions(options),
      reconnectDelayHandler: delayLeft,
    });
    if (closing.signal.aborted) return connection.close();
    goUp(connection);
    void (async () => {
      for await (const status of connection.status()) onStatus(status);
    })();
    const end = await connection.closed();
    current = undefined;
    if (end) goDownWith(end);
    else goDown("connection closed");
  }
  const ended = (async () => {
    while (!closing.signal.aborted) {
      await runConnection().catch(goDownWith);
      await sleep(clock, retryMs(attempt++), closing.signal);
    }
  })();

  const listenTo = <L>(listeners: Set<L>, listen: L): (() => void) => {
    listeners.add(listen);
    return () => void listeners.delete(listen);
  };
  const bus: NatsBus = {
    live: () => (connected ? current : undefined),
    connectionError: () => lastError,
    loginRefused: () => loginRefused,
    connections: () => count,
    onUp(listen) {
      if (connected && current) listen(current);
      return listenTo(upListeners, listen);
    },
    onDown: (listen) => listenTo(downListeners, listen),
    publish(subject, data, headers) {
      if (!connected || !current) return false;
      current.publish(subject, data, headers ? { headers } : {});
      return true;
    },
    subscribe: (subject, handle, { queue } = {}) => keepSubscribed(bus, { subject, handle, queue, warn }),
    newInbox: () => createInbox(options.inboxPrefix),
    async close() {
      closing.abort();
      cancelRetry();
      if (current && connected) await Promise.race([current.drain().catch(() => {}), sleep(clock, 2_000)]);
      await current?.close();
      await ended;
    },
  };
  return bus;
}

type SubscriptionOptions = {
  readonly subject: string;
  readonly handle: (message: Msg) => void;
  readonly queue: string | undefined;
  readonly warn: (why: string) => void;
};

/** Subscribes once per connection object; nats.js itself restores a subscription after a reconnection. */
function keepSubscribed(bus: NatsBus, { subject, handle, queue, warn }: SubscriptionOptions): () => void {
  let subscribed: { connection: NatsConnection; end: () => void } | undefined;
  const stop = bus.onUp((connection) => {
    if (subscribed?.connection === connection) return;
    const subscription = connection.subscribe(subject, {
      ...(queue === undefined ? {} : { queue }),
      callback(error, message) {
        if (error) warn(`subscription ${subject}: ${error.message}`);
        else handle(message);
      },
    });
    subscribed = { connection, end: () => subscription.unsubscribe() };
  });
  return () => {
    stop();
    if (subscribed && !subscribed.connection.isClosed()) subscribed.end();
  };
}
