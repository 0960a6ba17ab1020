import { createHash } from "node:crypto";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { Log } from "@realmwatch/shared/platform/log/log";
import { Cluster, Redis, type RedisOptions } from "ioredis";

/** Lua script with its SHA-1, by which Redis caches it. */
export type RedisScript = { readonly lua: string; readonly sha: string };
export const redisScript = (lua: string): RedisScript => ({ lua, sha: createHash("sha1").update(lua).digest("hex") });

export type RedisReply = string | number | null | readonly RedisReply[];

export type RedisConnection = {
  readonly client: Redis | Cluster;
  readonly isCluster: boolean;
  /** Hosts and database as in the URL, without secrets. */
  readonly name: string;
  /** Runs a script; sends its text only when the server has not cached it. */
  run(redisScript: RedisScript, keys: readonly string[], args: readonly (string | number)[]): Promise<RedisReply>;
  /** Calls `onMessage` with each message on `channel`, while connected. */
  subscribe(channel: string, onMessage: (message: string) => void): void;
  /** Calls `listen` after each connect. */
  onUp(listen: () => void): void;
  /** Reason why Redis is unavailable, without secrets; empty while it is available. */
  unavailableReason(): string;
  /** Sets the callback that receives the duration of each command, s. */
  onCommand(measure: (seconds: number) => void): void;
  close(): Promise<void>;
};

/** Timeout of a command, ms. */
const commandTimeoutMs = 2_000;
/** Time without an answer after which an open connection counts as lost, ms. */
const socketTimeoutMs = 5_000;
const pingEveryMs = 1_000;

type Options = {
  /** One URL, or several separated by commas: the nodes of a Redis Cluster. */
  readonly url: string;
  readonly clock: Clock;
  readonly log: Pick<Log, "info" | "warn">;
};

/**
 * Opens a connection to Redis that reconnects for ever. While it is away commands fail at once instead of being queued.
 * Never throws; the error is in `unavailableReason`.
 */
export function openRedis({ url, clock, log }: Options): RedisConnection {
  const urls = url.split(",").map((text) => text.trim());
  const client = urls.length > 1 ? openCluster(urls) : openSingle(urls[0] ?? "");
  const subscriber = client instanceof Cluster ? openCluster(urls) : openSingle(urls[0] ?? "");
  const name = urls.map(urlWithoutCredentials).join(", ");
  const upListeners: (() => void)[] = [];
  let error = `Redis at ${name} is not connected yet`;
  let measure: (seconds: number) => void = () => {};
  let closed = false;

  const onUnavailable = (why: string): void => {
    if (error === "" && !closed) log.warn({ redis: name, why }, "Redis: away");
    error = `Redis at ${name} is away: ${why}`;
  };
  const onAvailable = (): void => {
    if (error !== "") log.info({ redis: name }, "Redis: connected");
    error = "";
  };
  client.on("error", (error: Error) => onUnavailable(error.message));
  client.on("close", () => onUnavailable("the connection is closed"));
  client.on("ready", () => {
    onAvailable();
    for (const listen of upListeners) listen();
  });
  subscriber.on("error", () => {});

  const ping = async (): Promise<void> => {
    if (client.status !== "ready") return;
    await Promise.all([client.ping(), subscriber.status === "ready" ? subscriber.ping() : undefined]).then(
      onAvailable,
      (e: Error) => onUnavailable(e.message),
    );
  };
  let cancel = clock.after(pingEveryMs, function again() {
    void ping().finally(() => {
      if (!closed) cancel = clock.after(pingEveryMs, again);
    });
  });

  return {
    client,
    isCluster: client instanceof Cluster,
    name,
    unavailableReason: () => error,
    onUp(listen) {
      upListeners.push(listen);
      if (client.status === "ready") listen();
    },
    onCommand(to) {
      measure = to;
    },
    subscribe(channel, onMessage) {
      const subscribe = (): void => void subscriber.subscribe(channel).catch(() => {});
      subscriber.on("message", (from: string, message: string) => from === channel && onMessage(message));
      subscriber.on("ready", subscribe);
      if (subscriber.status === "ready") subscribe();
    },
    async run({ lua, sha }, keys, args) {
      const startedMs = clock.monotonic();
      try {
        return (await client.evalsha(sha, keys.length, ...keys, ...args)) as RedisReply;
      } catch (error) {
        if (!(error instanceof Error) || !error.message.startsWith("NOSCRIPT")) throw error;
        return (await client.eval(lua, keys.length, ...keys, ...args)) as RedisReply;
      } finally {
        measure((clock.monotonic() - startedMs) / 1000);
      }
    },
    async close() {
      closed = true;
      cancel();
      client.disconnect();
      subscriber.disconnect();
    },
  };
}

const common = {
  protocol: 2,
  commandTimeout: commandTimeoutMs,
  connectTimeout: 3_000,
  socketTimeout: socketTimeoutMs,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  autoResubscribe: false,
  connectionName: "realmwatch-aggregator",
} satisfies RedisOptions;
const retryMs = (times: number): number => Math.min(2_000, 50 * 2 ** Math.min(times, 10));

const openSingle = (url: string): Redis =>
  new Redis(url, { ...common, enableOfflineQueue: false, retryStrategy: retryMs });

function openCluster(urls: readonly string[]): Cluster {
  const first = new URL(urls[0] ?? "");
  return new Cluster([...urls], {
    clusterRetryStrategy: retryMs,
    enableOfflineQueue: false,
    redisOptions: {
      ...common,
      ...(first.password === "" ? {} : { password: decodeURIComponent(first.password) }),
      ...(first.username === "" ? {} : { username: decodeURIComponent(first.username) }),
      ...(first.protocol === "rediss:" ? { tls: {} } : {}),
    },
  });
}

/** Host and database of a URL, without user and password. */
function urlWithoutCredentials(text: string): string {
  if (!URL.canParse(text)) return "an unreadable URL";
  const { host, pathname } = new URL(text);
  return pathname === "/" ? host : host + pathname;
}
