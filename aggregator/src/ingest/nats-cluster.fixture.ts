import { freePort } from "@realmwatch/shared/platform/testing/free-port.fixture";
import { type SpawnedServer, startNatsServer } from "@realmwatch/shared/platform/testing/spawned-server.fixture";
import { eventStream, stateStream } from "@realmwatch/shared/wire/nats/nats-subjects";
import type { JetStreamManager } from "nats";

type PortBetween = (route: { readonly from: string; readonly to: string; readonly port: number }) => Promise<number>;

/**
 * Starts a cluster of nats-servers on the loopback interface.
 *
 * @param portBetween returns the port at which one server reaches the port of another one: that of a proxy, for example
 */
export async function startNatsCluster(size: number, portBetween?: PortBetween) {
  const names = Array.from({ length: size }, (_, n) => `n${n + 1}`);
  const routePorts = await Promise.all(names.map(() => freePort()));
  const monitorPorts = await Promise.all(names.map(() => freePort()));
  const routeTo = (port: number): string => `nats://127.0.0.1:${port}`;
  const routesOf = async (from: string): Promise<readonly string[]> => {
    if (portBetween === undefined) return routePorts.map(routeTo);
    const others = routePorts.flatMap((port, n) => (names[n] === from ? [] : [{ to: names[n] ?? "", port }]));
    return Promise.all(others.map(async ({ to, port }) => routeTo(await portBetween({ from, to, port }))));
  };
  // A server tells the others where it is reached; beside the proxies, nowhere.
  const advertised = portBetween === undefined ? [] : ["--cluster_advertise", "127.0.0.1:1"];
  const servers: SpawnedServer[] = await Promise.all(
    names.map(async (name, n) =>
      startNatsServer([
        ...["-n", name, "-m", String(monitorPorts[n]), ...advertised],
        ...["--cluster_name", "test", "--cluster", routeTo(routePorts[n] ?? 0)],
        ...["--routes", (await routesOf(name)).join()],
      ]),
    ),
  );
  /** True when the group of servers that leads JetStream is complete and up to date. */
  const hasMetaGroup = async (): Promise<boolean> => {
    const leaders = await Promise.all(monitorPorts.map(metaLeader));
    return leaders.some(({ replicas = [] }) => replicas.length === size - 1 && replicas.every(isCurrent));
  };
  return {
    hasMetaGroup,
    servers: new Map(names.map((name, n) => [name, servers[n] as SpawnedServer])),
    url: servers.map(({ url }) => url).join(),
    /** True when each stream has a current replica on every server, and the servers have a common leader. */
    async hasWholeStreams(jsm: JetStreamManager): Promise<boolean> {
      for (const { name } of [stateStream, eventStream]) {
        const { cluster: group, config } = await jsm.streams.info(name);
        const replicas = group?.replicas ?? [];
        if (config.num_replicas !== size || replicas.length !== size - 1) return false;
        if (!replicas.every(isCurrent)) return false;
      }
      return hasMetaGroup();
    },
    /** Names of the servers to which clients with that name are connected. */
    async serversOf(client: string): Promise<readonly string[]> {
      const clients = await Promise.all(monitorPorts.map(clientNames));
      return names.filter((_, n) => clients[n]?.includes(client));
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
    },
  };
}

type Peer = { readonly current?: boolean; readonly offline?: boolean };
const isCurrent = ({ current, offline }: Peer): boolean => current === true && offline !== true;

/** The leading group as one server sees it; only its leader knows the replicas. */
async function metaLeader(monitorPort: number): Promise<{ readonly replicas?: readonly Peer[] }> {
  const page = await fetch(`http://127.0.0.1:${monitorPort}/jsz`);
  return ((await page.json()) as { meta_cluster?: { replicas?: readonly Peer[] } }).meta_cluster ?? {};
}

async function clientNames(monitorPort: number): Promise<readonly string[]> {
  const page = await fetch(`http://127.0.0.1:${monitorPort}/connz`);
  const { connections = [] } = (await page.json()) as { connections?: readonly { readonly name?: string }[] };
  return connections.map(({ name = "" }) => name);
}
