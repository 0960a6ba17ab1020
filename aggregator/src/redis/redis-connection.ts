import { createHash } from "node:crypto";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { Log } from "@realmwatch/shared/platform/log/log";
import { Cluster, Redis, type RedisOptions } from "ioredis";

/** A script with its hash, which Redis knows it by. */
export type RedisScript = { readonly lua: string; readonly sha: string };
export const redisScript = (lua: string): RedisScript => ({ lua, sha: createHash("sha1").update(lua).digest("hex") });

export type RedisReply = string | number | null | readonly RedisReply[];

export type RedisConnection = {
  readonly client: Redis | Cluster;
  readonly isCluster: boolean;
  /** Which Redis this is, without secrets: hosts and database, as the URL says them. */
  readonly name: string;
  /** Runs a script; sends its text only where the server does not have it yet. */
  run(redisScript: RedisScript, keys: readonly string[], args: readonly (string | number)[]): Promise<RedisReply>;
  /** Delivers what is published on `channel`, as long as the connection stands. */
  subscribe(channel: string, hear: (message: string) => void): void;
  /** Calls `listen` each time that the connection comes to stand. */
  onUp(subscribe: () => void): void;
  /** Why Redis cannot be used, without secrets; empty while it can. */
  unavailableReason(): string;
  /** Seconds that commands took. Set once, by who measures. */
  onCommand(measure: (seconds: number) => void): void;
  close(): Promise<void>;
};

/** A command that takes longer fails: nobody waits for a Redis that hangs. */
const commandTimeoutMs = 2_000;
/** No answer for this long on an open connection means that the peer is gone. */
const silenceMs = 5_000;
const pingEveryMs = 1_000;

type Options = {
  /** One URL, or several joined by commas: the nodes of a Redis Cluster. */
  readonly url: string;
  readonly clock: Clock;
  readonly log: Pick<Log, "info" | "warn">;
};

/**
 * Opens Redis and keeps it for ever: commands fail at once while it is away, nothing waits in a queue.
 * Never throws; what is wrong is in `trouble`.
 */
export function openRedis({ url, clock, log }: Options): RedisConnection {
  const urls = url.split(",").map((text) => text.trim());
  const client = urls.length > 1 ? openCluster(urls) : openSingle(urls[0] ?? "");
  const subscriber = client instanceof Cluster ? openCluster(urls) : openSingle(urls[0] ?? "");
  const where = urls.map(urlWithoutCredentials).join(", ");
  const upListeners: (() => void)[] = [];
  let trouble = `Redis at ${where} is not connected yet`;
  let measure: (seconds: number) => void = () => {};
  let closed = false;

  const goDown = (why: string): void => {
    if (trouble === "" && !closed) log.warn({ redis: where, why }, "Redis: away");
    trouble = `Redis at ${where} is away: ${why}`;
  };
  const goUp = (): void => {
    if (trouble !== "") log.info({ redis: where }, "Redis: connected");
    trouble = "";
  };
  client.on("error", (error: Error) => goDown(error.message));
  client.on("close", () => goDown("the connection is closed"));
  client.on("ready", () => {
    goUp();
    for (const listen of upListeners) listen();
  });
  subscriber.on("error", () => {});

  const ping = async (): Promise<void> => {
    if (client.status !== "ready") return;
    await Promise.all([client.ping(), subscriber.status === "ready" ? subscriber.ping() : undefined]).then(
      goUp,
      (e: Error) => goDown(e.message),
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
    name: where,
    unavailableReason: () => trouble,
    onUp(listen) {
      upListeners.push(listen);
      if (client.status === "ready") listen();
    },
    onCommand(to) {
      measure = to;
    },
    subscribe(channel, hear) {
      const subscribe = (): void => void subscriber.subscribe(channel).catch(() => {});
      subscriber.on("message", (from: string, message: string) => from === channel && hear(message));
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
  socketTimeout: silenceMs,
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

/** A URL without its user and password. */
function urlWithoutCredentials(text: string): string {
  if (!URL.canParse(text)) return "an unreadable URL";
  const { host, pathname } = new URL(text);
  return pathname === "/" ? host : host + pathname;
}
