import { createHash } from "node:crypto";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { Log } from "@realmwatch/shared/platform/log/log";
import { Cluster, type Redis } from "ioredis";
import {
  openRedisClusterClient,
  openRedisServerClient,
  type RedisAddress,
  type RedisTlsFiles,
} from "./redis-clients.ts";
import { openRedisOutageTracker, type RedisOutage, redisErrorText } from "./redis-outage.ts";

/** Lua script with its SHA-1, by which Redis caches it. */
type RedisScript = { readonly lua: string; readonly sha: string };
export const redisScript = (lua: string): RedisScript => ({ lua, sha: createHash("sha1").update(lua).digest("hex") });

export type RedisReply = string | number | null | readonly RedisReply[];

export type RedisConnection = {
  /** Present client. It is replaced when the server turns out to be a node of a cluster. */
  readonly client: Redis | Cluster;
  readonly isCluster: boolean;
  /** Hosts and database as in the URL, without secrets. */
  readonly name: string;
  /** Servers that store data: the one server, or the masters of the cluster that are known. */
  servers(): readonly Redis[];
  /** Masters of a cluster that do not answer, as `host:port`; empty without a cluster. */
  deadNodes(): readonly string[];
  /** Runs a script; sends its text only when the server has not cached it. */
  run(redisScript: RedisScript, keys: readonly string[], args: readonly (string | number)[]): Promise<RedisReply>;
  /** Calls `onMessage` with each message on `channel`, while connected. */
  subscribe(channel: string, onMessage: (message: string) => void): void;
  /** Calls `listen` after each connect. */
  onUp(listen: () => void): void;
  /** Reason why Redis is unavailable, without secrets; empty while it is available. */
  unavailableReason(): string;
  /** The same with its kind; undefined while Redis is available. */
  outage(): RedisOutage | undefined;
  /** Sets the callback that receives the duration of each command, s. */
  onCommand(measure: (seconds: number) => void): void;
  close(): Promise<void>;
};

const pingEveryMs = 1_000;
/** Pause before the clients are opened again after the library has given up, ms. */
const reopenAfterMs = 2_000;
/** Time for which a node counts as dead after it last was; the library forgets dead nodes between two reads of the slots. */
const countsAsDeadForMs = 10_000;

type Options = {
  /** One URL, or several separated by commas: nodes of a Redis Cluster. */
  readonly url: string;
  readonly tlsFiles?: RedisTlsFiles;
  readonly clock: Clock;
  readonly log: Pick<Log, "info" | "warn">;
};

type Clients = { readonly client: Redis | Cluster; readonly subscriber: Redis | Cluster };
type Channel = { readonly name: string; readonly onMessage: (message: string) => void };

/**
 * Opens a connection to Redis that reconnects for ever. While it is away commands fail at once instead of being queued.
 * A single URL may name a node of a cluster; the others are then found. Never throws; the error is in
 * `unavailableReason`.
 */
export function openRedis({ url, tlsFiles = { ca: "", cert: "", key: "" }, clock, log }: Options): RedisConnection {
  const urls = url.split(",").map((text) => text.trim());
  const address: RedisAddress = { urls, tlsFiles };
  const name = urls.map(urlWithoutCredentials).join(", ");
  const outage = openRedisOutageTracker({ name, clock, log });
  const upListeners: (() => void)[] = [];
  const channels: Channel[] = [];
  /** Time at which a node was last found dead. */
  const deadSinceMs = new Map<string, number>();
  let measure: (seconds: number) => void = () => {};
  let closed = false;
  let clients = openClients(urls.length > 1);

  function openClients(asCluster: boolean): Clients {
    const open = (): Redis | Cluster => (asCluster ? openRedisClusterClient(address) : openRedisServerClient(address));
    const opened: Clients = { client: open(), subscriber: open() };
    const { client, subscriber } = opened;
    const isCurrent = (): boolean => clients === opened && !closed;
    client.on("error", (error: Error) => isCurrent() && outage.onError(error));
    client.on("close", () => isCurrent() && outage.onClosed());
    client.on("ready", () => void onReady(opened));
    // The library gives up when a connection cannot be begun, as with a certificate that does not fit its key.
    for (const one of [client, subscriber])
      one.on("end", () => isCurrent() && clock.after(reopenAfterMs, () => isCurrent() && replaceClients(opened)));
    subscriber.on("error", () => {});
    subscriber.on("ready", () => isCurrent() && subscribeAll());
    subscriber.on("message", (from: string, message: string) => {
      for (const { name, onMessage } of channels) if (from === name && isCurrent()) onMessage(message);
    });
    return opened;
  }

  function replaceClients({ client, subscriber }: Clients, asCluster = client instanceof Cluster): void {
    clients = openClients(asCluster);
    client.disconnect();
    subscriber.disconnect();
  }

  async function onReady(opened: Clients): Promise<void> {
    const isNode = !(opened.client instanceof Cluster) && (await isClusterNode(opened.client));
    if (clients !== opened || closed) return;
    if (isNode) return replaceClients(opened, true);
    outage.onAvailable();
    for (const listen of upListeners) listen();
  }

  function subscribeAll(): void {
    for (const { name } of channels) void clients.subscriber.subscribe(name).catch(() => {});
  }

  async function ping(): Promise<void> {
    const { client, subscriber } = clients;
    if (client.status !== "ready") return;
    if (client instanceof Cluster) {
      // The subscriber may have moved to another node since.
      if (subscriber.status === "ready") subscribeAll();
      return pingNodes(client);
    }
    try {
      await Promise.all([client.ping(), subscriber.status === "ready" ? subscriber.ping() : undefined]);
      if (clients.client === client && outage.current() !== undefined) await onReady(clients);
    } catch (error) {
      if (clients.client === client && !closed) outage.onError(error as Error);
    }
  }

  async function pingNodes(cluster: Cluster): Promise<void> {
    const state = await readClusterState(cluster);
    if (clients.client !== cluster || closed) return;
    if (state instanceof Error) return outage.onError(state);
    for (const node of state.alive) deadSinceMs.delete(node);
    for (const node of state.dead) deadSinceMs.set(node, clock.monotonic());
    if (outage.current() !== undefined) await onReady(clients);
  }

  let cancel = clock.after(pingEveryMs, function again() {
    void ping().finally(() => {
      if (!closed) cancel = clock.after(pingEveryMs, again);
    });
  });

  return {
    get client() {
      return clients.client;
    },
    get isCluster() {
      return clients.client instanceof Cluster;
    },
    name,
    servers: () => (clients.client instanceof Cluster ? clients.client.nodes("master") : [clients.client]),
    deadNodes: () =>
      [...deadSinceMs].flatMap(([node, ms]) => (clock.monotonic() - ms < countsAsDeadForMs ? [node] : [])).sort(),
    unavailableReason: () => outage.current()?.why ?? "",
    outage: outage.current,
    onUp(listen) {
      upListeners.push(listen);
      if (outage.current() === undefined) listen();
    },
    onCommand(to) {
      measure = to;
    },
    subscribe(name, onMessage) {
      channels.push({ name, onMessage });
      if (clients.subscriber.status === "ready") subscribeAll();
    },
    async run({ lua, sha }, keys, args) {
      const { client } = clients;
      const startedMs = clock.monotonic();
      try {
        return (await client.evalsha(sha, keys.length, ...keys, ...args).catch((error: Error) => {
          if (!error.message.startsWith("NOSCRIPT")) throw error;
          return client.eval(lua, keys.length, ...keys, ...args);
        })) as RedisReply;
      } catch (error) {
        throw new Error(redisErrorText(error), { cause: error });
      } finally {
        measure((clock.monotonic() - startedMs) / 1000);
      }
    },
    async close() {
      closed = true;
      cancel();
      clients.client.disconnect();
      clients.subscriber.disconnect();
    },
  };
}

/** True when the server is a node of a cluster; false also when it does not say. */
async function isClusterNode(client: Redis): Promise<boolean> {
  try {
    return /^redis_mode:cluster/m.test(await client.info("server"));
  } catch {
    return false;
  }
}

type ClusterState = { readonly alive: readonly string[]; readonly dead: readonly string[] };

/** Asks each known master which masters are away. @returns an error when none answers */
async function readClusterState(cluster: Cluster): Promise<ClusterState | Error> {
  const [alive, dead] = [new Set<string>(), new Set<string>()];
  let failure = new Error("no node of the cluster is known");
  const ask = async (node: Redis): Promise<void> => {
    const address = `${node.options.host}:${node.options.port}`;
    try {
      const answer = String(await node.call("CLUSTER", "NODES"));
      alive.add(address);
      for (const failed of failedMasters(answer)) dead.add(failed);
    } catch (error) {
      dead.add(address);
      failure = error as Error;
    }
  };
  await Promise.all(cluster.nodes("master").map(ask));
  return alive.size === 0 ? failure : { alive: [...alive], dead: [...dead].filter((node) => !alive.has(node)) };
}

/** Addresses of the masters with keys that a node counts as failed, from the answer to `CLUSTER NODES`. */
const failedMasters = (answer: string): readonly string[] =>
  answer.split("\n").flatMap((line) => {
    const [, address = "", flags = "", , , , , , ...slots] = line.split(" ");
    const isFailed = /\bmaster\b/.test(flags) && /\bfail\b/.test(flags) && slots.length > 0;
    return isFailed ? [address.replace(/@.*$/, "")] : [];
  });

/** Host and database of a URL, without user and password. */
function urlWithoutCredentials(text: string): string {
  if (!URL.canParse(text)) return "an unreadable URL";
  const { host, pathname } = new URL(text);
  return pathname === "/" ? host : host + pathname;
}
