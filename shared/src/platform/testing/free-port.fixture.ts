import { createServer, type ListenOptions, type Server } from "node:net";

/**
 * Ports to choose from. They lie below Linux' range of ephemeral ports: a port of that range can become the local port of
 * an outgoing connection before the program that it is meant for listens on it.
 */
const range = { first: 20_000, last: 32_000 } as const;

/** Sockets that reserve the ports of this process, until it ends. */
const reservations: Server[] = [];

/**
 * Returns a TCP port that is free at `host`, an address, and that no other process gets from this function until this
 * process ends. Rejects when all ports are taken.
 */
export async function freePort(host = "127.0.0.1"): Promise<number> {
  const count = range.last - range.first;
  // Processes begin at different ports, so that they seldom try the same one.
  const start = (process.pid * 67 + reservations.length) % count;
  for (let step = 0; step < count; step++) {
    const port = range.first + ((start + step) % count);
    // An abstract socket belongs to the network namespace, as the port does, and ends with a process that is killed.
    const reservation = await listen({ path: `\0realmwatch-port-${port}` });
    if (reservation === undefined) continue;
    const listener = await listen({ port, host });
    if (listener === undefined) {
      reservation.close();
      continue;
    }
    await listener[Symbol.asyncDispose]();
    reservations.push(reservation);
    return port;
  }
  throw new Error(`all TCP ports from ${range.first} to ${range.last} are taken`);
}

/** Listens without holding the process; undefined where that is refused, such as for an address in use. */
const listen = (options: ListenOptions): Promise<Server | undefined> =>
  new Promise((resolve) => {
    const server = createServer().unref();
    server.once("error", () => resolve(undefined));
    server.listen(options, () => resolve(server));
  });
