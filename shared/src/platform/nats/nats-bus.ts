import { connect, createInbox, ErrorCode, type Msg, type MsgHdrs, type NatsConnection, type Status } from "nats";
import type { Logger } from "pino";
import { type Clock, sleep, waitAtMost } from "../../model/clock.ts";
import { backoffMs } from "../backoff.ts";
import { WarningLimit } from "../log/warning-limit.ts";
import { systemRandom } from "../random.ts";
import { connectionOptions, type NatsConnectionSettings } from "./connection-options.ts";
import { formatNatsError, formatStatusError, isRefusedLogin, natsErrorCode, refusedLogin } from "./nats-errors.ts";

type NatsBusOptions = NatsConnectionSettings & { readonly clock: Clock; readonly log: Pick<Logger, "info" | "warn"> };

export type NatsBus = Pick<ReconnectingNats, keyof ReconnectingNats>;

/** Time after which what the server refused is tried again over a new connection, ms. */
const refusalRetryMs = 30_000;

const retryBounds = { firstMs: 200, longestMs: 5_000 };
/** Delay before attempt `attempt` (from 0), ms. */
const retryMs = (attempt: number): number => backoffMs(retryBounds, attempt + 1, systemRandom);

/**
 * Opens the bus. Returns at once and never throws: an unusable URL or file is reported by `connectionError` and the
 * log.
 */
export const openNatsBus = (options: NatsBusOptions): NatsBus => new ReconnectingNats(options);

/**
 * Permanent connection to NATS. It may be opened while NATS is unavailable and reconnects without limit. Messages are
 * not buffered while disconnected, because callers that need delivery have their own log.
 */
class ReconnectingNats {
  readonly #options: NatsBusOptions;
  readonly #closing = new AbortController();
  readonly #upListeners = new Set<(connection: NatsConnection) => void>();
  readonly #downListeners = new Set<() => void>();
  readonly #warnings: WarningLimit;
  readonly #ended: Promise<void>;
  #current: NatsConnection | undefined;
  #connected = false;
  #lastError = "not connected yet";
  #loginRefused = false;
  #count = 0;
  #attempt = 0;
  /** Time before which no further attempt begins, monotonic, ms. */
  #notBeforeMs = 0;
  #cancelRetry = (): void => {};

  constructor(options: NatsBusOptions) {
    this.#options = options;
    this.#warnings = new WarningLimit(options.clock);
    this.#ended = this.#run();
  }

  /** The connection; undefined while disconnected. */
  readonly live = (): NatsConnection | undefined => (this.#connected ? this.#current : undefined);

  /**
   * Reason why there is no connection, or why the server refused part of what was sent on it, such as a subscription above
   * a limit; without secrets. Empty while all is well.
   */
  readonly connectionError = (): string => this.#lastError;

  /** True while there is no connection because the server refused the login at the last attempt. */
  readonly loginRefused = (): boolean => this.#loginRefused;

  /** Number of times the connection was established. */
  readonly connections = (): number => this.#count;

  /** Returns a subject for replies, below `inboxPrefix`, that is different at each call. */
  readonly newInbox = (): string => createInbox(this.#options.inboxPrefix);

  /** Calls `listen` at once when connected, and at each new connection. Returns a function that unregisters it. */
  onUp(listen: (connection: NatsConnection) => void): () => void {
    const connection = this.live();
    if (connection !== undefined) listen(connection);
    this.#upListeners.add(listen);
    return () => void this.#upListeners.delete(listen);
  }

  /** Calls `listen` each time the connection is lost. Returns a function that unregisters it. */
  onDown(listen: () => void): () => void {
    this.#downListeners.add(listen);
    return () => void this.#downListeners.delete(listen);
  }

  /** Sends a message at once; false, and not sent, while disconnected. */
  publish(subject: string, data: Uint8Array, headers?: MsgHdrs): boolean {
    const connection = this.live();
    connection?.publish(subject, data, headers ? { headers } : {});
    return connection !== undefined;
  }

  /** Subscribes, again after each reconnection. `handle` must not throw. Returns a function that unsubscribes. */
  subscribe(subject: string, handle: (message: Msg) => void, { queue }: { readonly queue?: string } = {}): () => void {
    return keepSubscribed(this, { subject, handle, queue, warn: (why) => this.#warn(why) });
  }

  /** Flushes pending messages (at most 2 s), then closes the connection permanently. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#cancelRetry();
    const drained = this.live()
      ?.drain()
      .catch(() => {});
    if (drained !== undefined) await waitAtMost(this.#options.clock, 2_000, drained);
    await this.#current?.close();
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await this.#runConnection().catch((error: unknown) => this.#goDownWith(error));
      await sleep(this.#options.clock, retryMs(this.#attempt++), signal);
    }
  }

  /**
   * Runs one connection object until it closes. nats.js reconnects by itself; it closes only after a permanent failure.
   */
  async #runConnection(): Promise<void> {
    const connection = await connect({
      ...connectionOptions(this.#options),
      reconnectDelayHandler: () => this.#delayLeft(),
    });
    if (this.#closing.signal.aborted) return connection.close();
    this.#goUp(connection);
    void (async () => {
      for await (const status of connection.status()) this.#onStatus(status);
    })();
    const end = await connection.closed();
    this.#current = undefined;
    if (end) this.#goDownWith(end);
    else this.#goDown("connection closed");
  }

  #onStatus(status: Status): void {
    const { type, data } = status;
    if (type === "reconnect" && this.#current) this.#goUp(this.#current);
    else if (type === "disconnect" || type === "staleConnection") {
      // A failed attempt to reconnect ends in a disconnect too, and its own reason says more.
      if (this.#connected) this.#goDown("connection lost");
    } else if (type === "reconnecting") {
      this.#attempt += 1;
      this.#delayAttempt();
    } else if (type === "error" && isRefusedLogin(data)) this.#goDown(refusedLogin(data), true);
    else if (type === "error" && data === ErrorCode.ProtocolError) this.#onRefusal();
    else if (type === "error") this.#warn(formatStatusError(status));
  }

  #goUp(connection: NatsConnection): void {
    [this.#current, this.#connected, this.#lastError] = [connection, true, ""];
    [this.#loginRefused, this.#attempt] = [false, 0];
    this.#delayAttempt();
    this.#count++;
    this.#warnings.clear();
    const [server, version] = [connection.getServer(), connection.info?.version];
    this.#options.log.info({ server, version }, "NATS connection established");
    for (const listen of [...this.#upListeners]) listen(connection);
  }

  #goDown(why: string, isLoginRefused = false): void {
    [this.#lastError, this.#loginRefused] = [why, isLoginRefused];
    if (!this.#closing.signal.aborted) this.#warn(why);
    if (!this.#connected) return;
    this.#connected = false;
    for (const listen of [...this.#downListeners]) listen();
  }

  #goDownWith(error: unknown): void {
    this.#goDown(formatNatsError(error), isRefusedLogin(natsErrorCode(error)));
  }

  /** [FD99] The library names no cause, and repeats a subscription only on a new connection. */
  #onRefusal(): void {
    this.#lastError = "NATS refuses a subscription or message: a limit such as max_subscriptions is reached";
    this.#warn(this.#lastError);
    this.#cancelRetry();
    this.#cancelRetry = this.#options.clock.after(refusalRetryMs, () => void this.#current?.reconnect());
  }

  #warn(why: string): void {
    if (this.#warnings.isDue(why)) this.#options.log.warn({ nats: why }, "NATS connection failed");
  }

  #delayAttempt(): void {
    this.#notBeforeMs = this.#options.clock.monotonic() + retryMs(this.#attempt);
  }

  /**
   * Delay before the next attempt, ms. The library adds it to the wall clock's time of the last attempt: after that clock
   * was set back, it would wait as long as it was set back unless the delay is below every time.
   */
  #delayLeft(): number {
    const leftMs = this.#notBeforeMs - this.#options.clock.monotonic();
    return leftMs > 0 ? leftMs : Number.NEGATIVE_INFINITY;
  }
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
