import { freePort, type SpawnedServer, startNatsServer } from "@realmwatch/shared/platform/process/spawned-server";

/** Starts a cluster of nats-servers on the loopback interface. */
export async function startNatsCluster(size: number) {
  const names = Array.from({ length: size }, (_, n) => `n${n + 1}`);
  const routePorts = await Promise.all(names.map(freePort));
  const routes = routePorts.map((port) => `nats://127.0.0.1:${port}`);
  const servers: SpawnedServer[] = await Promise.all(
    names.map((name, n) =>
      startNatsServer(["-n", name, "--cluster_name", "test", "--cluster", routes[n] ?? "", "--routes", routes.join()]),
    ),
  );
  return {
    servers: new Map(names.map((name, n) => [name, servers[n] as SpawnedServer])),
    url: servers.map(({ url }) => url).join(),
    async [Symbol.asyncDispose]() {
      await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
    },
  };
}
