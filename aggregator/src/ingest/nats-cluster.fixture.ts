import { freePort } from "@realmwatch/shared/platform/process/free-port";
import { type SpawnedServer, startNatsServer } from "@realmwatch/shared/platform/process/spawned-server";

/** Starts a cluster of nats-servers on the loopback interface. */
export async function startNatsCluster(size: number) {
  const names = Array.from({ length: size }, (_, n) => `n${n + 1}`);
  const routePorts = await Promise.all(names.map(() => freePort()));
  const monitorPorts = await Promise.all(names.map(() => freePort()));
  const routes = routePorts.map((port) => `nats://127.0.0.1:${port}`);
  const servers: SpawnedServer[] = await Promise.all(
    names.map((name, n) =>
      startNatsServer([
        ...["-n", name, "-m", String(monitorPorts[n])],
        ...["--cluster_name", "test", "--cluster", routes[n] ?? "", "--routes", routes.join()],
      ]),
    ),
  );
  return {
    servers: new Map(names.map((name, n) => [name, servers[n] as SpawnedServer])),
    url: servers.map(({ url }) => url).join(),
    /** True when the group of servers that leads JetStream is complete and up to date. */
    async hasMetaGroup(): Promise<boolean> {
      const leaders = await Promise.all(monitorPorts.map(metaLeader));
      return leaders.some(({ replicas = [] }) => replicas.length === size - 1 && replicas.every(isCurrent));
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
