import { readFileSync } from "node:fs";
import {
  type ConnectionOptions,
  connect,
  credsAuthenticator,
  type Msg,
  type MsgHdrs,
  type NatsConnection,
  type Status,
} from "nats";
import type { Logger } from "pino";
import { type Clock, sleep } from "../../model/clock.ts";

export type NatsBusOptions = {
  /** One or more `nats://` or `tls://` URLs, joined by commas; a user and password in one are used and never shown. */
  readonly url: string;
  /** Path of a credentials file, read again at each connection; empty means none. */
  readonly credsFile: string;
  /** How the broker's own monitoring names us. */
  readonly name: string;
  readonly clock: Clock;
  readonly log: Pick<Logger, "info" | "warn">;
};

/**
 * A connection to NATS that is kept for ever: it may be away when opened, comes back by itself and never
 * gives up. Nothing here is buffered while it is away, since what needs to arrive has a log of its own.
 */
export type NatsBus = {
  /** The connection while it stands; undefined while NATS is away. */
  live(): NatsConnection | undefined;
  /** Why the connection does not stand, without secrets; empty while it does. */
  trouble(): string;
  /** How often the connection came to stand. */
  connections(): number;
  /** Calls `listen` at once where the connection stands, and each time that it comes to stand. Returns what ends it. */
  onUp(listen: (connection: NatsConnection) => void): () => void;
  /** Calls `listen` each time that the connection is lost. */
  onDown(listen: () => void): () => void;
  /** Sends now, or not at all: false where NATS is away. */
  publish(subject: string, data: Uint8Array, headers?: MsgHdrs): boolean;
  /** Delivers now and after each loss of the connection. `handle` must not throw. Returns what ends it. */
  subscribe(subject: string, handle: (message: Msg) => void, options?: { readonly queue?: string }): () => void;
  /** Sends what is under way (at most 2 s), then closes for good. */
  close(): Promise<void>;
};

/** A dead peer shows after two unanswered pings: within 9 s, where the library's default is minutes. */
const pings = { pingInterval: 3_000, maxPingOut: 2 } as const;
const sameWarningEveryMs = 60_000;

/** Wait before attempt `attempt` (from 0): 0.2 s doubling to 5 s, of which the upper half is random. */
const backoffMs = (attempt: number): number =>
  Math.min(5_000, 200 * 2 ** Math.min(attempt, 10)) * (0.5 + Math.random() / 2);

/** Opens the bus. Returns at once and never throws: an unusable URL or file shows in `trouble` and in the log. */
export function openNatsBus(options: NatsBusOptions): NatsBus {
  const { clock, log } = options;
  const closing = new AbortController();
  const upListeners = new Set<(connection: NatsConnection) => void>();
  const downListeners = new Set<() => void>();
  const warnedAtMs = new Map<string, number>();
  let current: NatsConnection | undefined;
  let standing = false;
  let trouble = "not connected yet";
  let count = 0;
  let attempt = 0;
  /** Asked for several times an attempt, hence kept. */
  let waitMs = backoffMs(0);

  const warn = (why: string): void => {
    const last = warnedAtMs.get(why);
    if (last !== undefined && clock.monotonic() - last < sameWarningEveryMs) return;
    if (warnedAtMs.size > 100) warnedAtMs.clear();
    warnedAtMs.set(why, clock.monotonic());
    log.warn({ nats: why }, "NATS: trouble");
  };
  const goUp = (connection: NatsConnection): void => {
    [current, standing, trouble, attempt] = [connection, true, "", 0];
    waitMs = backoffMs(0);
    count++;
    warnedAtMs.clear();
    log.info({ server: connection.getServer(), version: connection.info?.version }, "NATS: connected");
    for (const listen of [...upListeners]) listen(connection);
  };
  const goDown = (why: string): void => {
    trouble = why;
    if (!closing.signal.aborted) warn(why);
    if (!standing) return;
    standing = false;
    for (const listen of [...downListeners]) listen();
  };
  const hear = (status: Status): void => {
    if (status.type === "reconnect" && current) goUp(current);
    else if (status.type === "disconnect" || status.type === "staleConnection") goDown("connection lost");
    else if (status.type === "reconnecting") waitMs = backoffMs(++attempt);
    else if (status.type === "error") warn(showStatusError(status));
  };

  /** One life of a connection object. nats.js brings it back by itself; it ends only where that failed for good. */
  async function live(): Promise<void> {
    const connection = await connect({
      ...connectionOptions(options),
      reconnectDelayHandler: () => waitMs,
    });
    if (closing.signal.aborted) return connection.close();
    goUp(connection);
    void (async () => {
      for await (const status of connection.status()) hear(status);
    })();
    const end = await connection.closed();
    current = undefined;
    goDown(end ? showError(end) : "connection closed");
  }
  const ended = (async () => {
    while (!closing.signal.aborted) {
      await live().catch((error: unknown) => goDown(showError(error)));
      await sleep(clock, backoffMs(attempt++), closing.signal);
    }
  })();

  const listenTo = <L>(listeners: Set<L>, listen: L): (() => void) => {
    listeners.add(listen);
    return () => void listeners.delete(listen);
  };
  const bus: NatsBus = {
    live: () => (standing ? current : undefined),
    trouble: () => trouble,
    connections: () => count,
    onUp(listen) {
      if (standing && current) listen(current);
      return listenTo(upListeners, listen);
    },
    onDown: (listen) => listenTo(downListeners, listen),
    publish(subject, data, headers) {
      if (!standing || !current) return false;
      current.publish(subject, data, headers ? { headers } : {});
      return true;
    },
    subscribe: (subject, handle, { queue } = {}) => keepSubscribed(bus, { subject, handle, queue, warn }),
    async close() {
      closing.abort();
      if (current && standing) await Promise.race([current.drain().catch(() => {}), sleep(clock, 2_000)]);
      await current?.close();
      await ended;
    },
  };
  return bus;
}

type Subscribing = {
  readonly subject: string;
  readonly handle: (message: Msg) => void;
  readonly queue: string | undefined;
  readonly warn: (why: string) => void;
};

/** nats.js renews a subscription after a reconnection; only a new connection object needs a new one. */
function keepSubscribed(bus: NatsBus, { subject, handle, queue, warn }: Subscribing): () => void {
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

function connectionOptions({ url, credsFile, name }: NatsBusOptions): ConnectionOptions {
  const urls = url
    .split(",")
    .map((text) => new URL(text.trim().includes("://") ? text.trim() : `nats://${text.trim()}`));
  const first = urls.find((u) => u.username !== "");
  return {
    name,
    servers: urls.map((u) => u.host),
    ...pings,
    timeout: 5_000,
    maxReconnectAttempts: -1,
    // Else each request makes errors in advance for the stack traces in them.
    noAsyncTraces: true,
    // Credentials rotate: a refused login today says nothing of tomorrow's.
    ignoreAuthErrorAbort: true,
    ...(urls.some((u) => u.protocol === "tls:") ? { tls: {} } : {}),
    ...(first ? { user: decodeURIComponent(first.username), pass: decodeURIComponent(first.password) } : {}),
    ...(credsFile === "" ? {} : { authenticator: credsAuthenticator(rereading(credsFile)) }),
  };
}

/** Reads the file at each call; while it cannot be read (it is being replaced), what it held before. */
function rereading(path: string): () => Uint8Array {
  let kept: Uint8Array = readFileSync(path);
  return () => {
    try {
      kept = readFileSync(path);
    } catch {}
    return kept;
  };
}

function showError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return code === "" || error.message.includes(code) ? error.message : `${code}: ${error.message}`;
}

function showStatusError(status: Status): string {
  const context = "permissionContext" in status ? status.permissionContext : undefined;
  return context ? `no permission: ${context.operation} ${context.subject}` : `server error ${String(status.data)}`;
}
