import { freePort } from "@realmwatch/shared/platform/testing/free-port.fixture";
import { type SpawnedServer, startRedisServer } from "@realmwatch/shared/platform/testing/spawned-server.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { Redis } from "ioredis";

const slots = 16_384;

type RedisTestCluster = {
  readonly nodes: readonly SpawnedServer[];
  /** Clients of the nodes, in the same order. */
  readonly clients: readonly Redis[];
  /** URLs of all nodes, joined by commas. */
  readonly url: string;
  /** Index of the node that stores the keys of a realm. */
  nodeOf(realm: string): Promise<number>;
  [Symbol.asyncDispose](): Promise<void>;
};

/** Starts a Redis Cluster of masters with equal shares of the keys, which go on without a dead one. */
export async function startRedisCluster(size: number): Promise<RedisTestCluster> {
  // The default cluster port, 10 000 above the data port, may be in use or beyond the last port.
  const buses = await Promise.all(Array.from({ length: size }, () => freePort()));
  const nodes = await Promise.all(
    buses.map((bus) =>
      startRedisServer([
        ...["--cluster-enabled", "yes", "--cluster-port", String(bus), "--cluster-node-timeout", "2000"],
        ...["--cluster-require-full-coverage", "no"],
      ]),
    ),
  );
  const clients = nodes.map(({ url }) => new Redis(url, { retryStrategy: () => 200 }));
  for (const client of clients) client.on("error", () => {});
  const bound = (index: number): number => Math.floor((slots * index) / size);
  for (const [at, client] of clients.entries())
    await client.call("CLUSTER", "ADDSLOTSRANGE", String(bound(at)), String(bound(at + 1) - 1));
  for (const [at, node] of nodes.entries())
    if (at > 0) await clients[0]?.call("CLUSTER", "MEET", "127.0.0.1", String(node.port), String(buses[at]));
  for (const client of clients)
    await until("the node knows all keys", async () => {
      const info = String(await client.call("CLUSTER", "INFO"));
      return /cluster_state:ok/.test(info) && info.includes(`cluster_slots_assigned:${slots}`);
    });
  return {
    nodes,
    clients,
    url: nodes.map(({ url }) => url).join(","),
    async nodeOf(realm) {
      const slot = Number(await clients[0]?.call("CLUSTER", "KEYSLOT", `{${realm}}`));
      return nodes.findIndex((_, at) => slot < bound(at + 1));
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) client.disconnect();
      await Promise.all(nodes.map((node) => node[Symbol.asyncDispose]()));
    },
  };
}
