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

export type RedisConnection = Pick<ReconnectingRedis, keyof ReconnectingRedis>;

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
 * Connection to Redis that reconnects for ever. While it is away commands fail at once instead of being queued. A single
 * URL may name a node of a cluster; the others are then found. The constructor never throws; the error is in
 * `unavailableReason`.
 */
export class ReconnectingRedis {
  /** Hosts and database as in the URL, without secrets. */
  readonly name: string;
  readonly #clock: Clock;
  readonly #address: RedisAddress;
  readonly #outage: ReturnType<typeof openRedisOutageTracker>;
  readonly #upListeners: (() => void)[] = [];
  readonly #channels: Channel[] = [];
  /** Time at which a node was last found dead. */
  readonly #deadSinceMs = new Map<string, number>();
  #measure: (seconds: number) => void = () => {};
  #closed = false;
  #clients: Clients;
  #cancel: () => void;

  constructor({ url, tlsFiles = { ca: "", cert: "", key: "" }, clock, log }: Options) {
    const urls = url.split(",").map((text) => text.trim());
    this.name = urls.map(urlWithoutCredentials).join(", ");
    this.#clock = clock;
    this.#address = { urls, tlsFiles };
    this.#outage = openRedisOutageTracker({ name: this.name, clock, log });
    this.#clients = this.#openClients(urls.length > 1);
    this.#cancel = clock.after(pingEveryMs, () => this.#pingAgain());
  }

  /** Present client. It is replaced when the server turns out to be a node of a cluster. */
  get client(): Redis | Cluster {
    return this.#clients.client;
  }

  get isCluster(): boolean {
    return this.client instanceof Cluster;
  }

  /** Servers that store data: the one server, or the masters of the cluster that are known. */
  servers(): readonly Redis[] {
    const { client } = this;
    return client instanceof Cluster ? client.nodes("master") : [client];
  }

  /** Masters of a cluster that do not answer, as `host:port`; empty without a cluster. */
  readonly deadNodes = (): readonly string[] => {
    const nowMs = this.#clock.monotonic();
    return [...this.#deadSinceMs].flatMap(([node, ms]) => (nowMs - ms < countsAsDeadForMs ? [node] : [])).sort();
  };

  /** Runs a script; sends its text only when the server has not cached it. */
  async run(script: RedisScript, keys: readonly string[], args: readonly (string | number)[]): Promise<RedisReply> {
    const { client } = this;
    const startedMs = this.#clock.monotonic();
    try {
      return (await client.evalsha(script.sha, keys.length, ...keys, ...args).catch((error: Error) => {
        if (!error.message.startsWith("NOSCRIPT")) throw error;
        return client.eval(script.lua, keys.length, ...keys, ...args);
      })) as RedisReply;
    } catch (error) {
      throw new Error(redisErrorText(error), { cause: error });
    } finally {
      this.#measure((this.#clock.monotonic() - startedMs) / 1000);
    }
  }

  /** Calls `onMessage` with each message on `channel`, while connected. */
  subscribe(channel: string, onMessage: (message: string) => void): void {
    this.#channels.push({ name: channel, onMessage });
    if (this.#clients.subscriber.status === "ready") this.#subscribeAll();
  }

  /** Calls `listen` after each connect. */
  onUp(listen: () => void): void {
    this.#upListeners.push(listen);
    if (this.outage() === undefined) listen();
  }

  /** Reason why Redis is unavailable, without secrets; empty while it is available. */
  readonly unavailableReason = (): string => this.outage()?.why ?? "";

  /** The same with its kind; undefined while Redis is available. */
  readonly outage = (): RedisOutage | undefined => this.#outage.current();

  /** Sets the callback that receives the duration of each command, s. */
  onCommand(measure: (seconds: number) => void): void {
    this.#measure = measure;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancel();
    disconnect(this.#clients);
  }

  #openClients(asCluster: boolean): Clients {
    const open = asCluster ? openRedisClusterClient : openRedisServerClient;
    const opened: Clients = { client: open(this.#address), subscriber: open(this.#address) };
    const { client, subscriber } = opened;
    const isCurrent = (): boolean => this.#isCurrent(opened);
    client.on("error", (error: Error) => isCurrent() && this.#outage.onError(error));
    client.on("close", () => isCurrent() && this.#outage.onClosed());
    client.on("ready", () => void this.#onReady(opened));
    const reopen = (): void => void (isCurrent() && this.#replaceClients(this.isCluster));
    // The library gives up when a connection cannot be begun, as with a certificate that does not fit its key.
    for (const one of [client, subscriber])
      one.on("end", () => isCurrent() && this.#clock.after(reopenAfterMs, reopen));
    subscriber.on("error", () => {});
    subscriber.on("ready", () => isCurrent() && this.#subscribeAll());
    subscriber.on("message", (from: string, message: string) => {
      for (const { name, onMessage } of this.#channels) if (from === name && isCurrent()) onMessage(message);
    });
    return opened;
  }

  #isCurrent(clients: Clients): boolean {
    return this.#clients === clients && !this.#closed;
  }

  #replaceClients(asCluster: boolean): void {
    const previous = this.#clients;
    this.#clients = this.#openClients(asCluster);
    disconnect(previous);
  }

  async #onReady(opened: Clients): Promise<void> {
    const isNode = !(opened.client instanceof Cluster) && (await isClusterNode(opened.client));
    if (!this.#isCurrent(opened)) return;
    if (isNode) return this.#replaceClients(true);
    this.#outage.onAvailable();
    for (const listen of this.#upListeners) listen();
  }

  #subscribeAll(): void {
    for (const { name } of this.#channels) void this.#clients.subscriber.subscribe(name).catch(() => {});
  }

  #pingAgain(): void {
    void this.#ping(this.#clients).finally(() => {
      if (!this.#closed) this.#cancel = this.#clock.after(pingEveryMs, () => this.#pingAgain());
    });
  }

  async #ping(clients: Clients): Promise<void> {
    const { client, subscriber } = clients;
    if (client.status !== "ready") return;
    // The subscriber may have moved to another node since.
    if (client instanceof Cluster && subscriber.status === "ready") this.#subscribeAll();
    try {
      if (client instanceof Cluster) await this.#pingNodes(client, clients);
      else await Promise.all([client.ping(), subscriber.status === "ready" ? subscriber.ping() : undefined]);
      if (this.#isCurrent(clients) && this.outage() !== undefined) await this.#onReady(clients);
    } catch (error) {
      if (this.#isCurrent(clients)) this.#outage.onError(error as Error);
    }
  }

  /** Rejects when no node answers. */
  async #pingNodes(cluster: Cluster, clients: Clients): Promise<void> {
    const { alive, dead } = await readClusterState(cluster);
    if (!this.#isCurrent(clients)) return;
    for (const node of alive) this.#deadSinceMs.delete(node);
    for (const node of dead) this.#deadSinceMs.set(node, this.#clock.monotonic());
  }
}

function disconnect({ client, subscriber }: Clients): void {
  client.disconnect();
  subscriber.disconnect();
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

/** Asks each known master which masters are away. Rejects when none answers. */
async function readClusterState(cluster: Cluster): Promise<ClusterState> {
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
  if (alive.size === 0) throw failure;
  return { alive: [...alive], dead: [...dead].filter((node) => !alive.has(node)) };
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
