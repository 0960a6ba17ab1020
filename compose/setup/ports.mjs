import { connect, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { SetupError } from "./steps.mjs";

/** Resolves to true when a TCP port of the loopback address is free. */
export const isFree = (port) =>
  new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });

/** Sockets that reserve the ports of this process, until it ends. */
const reservations = [];

/**
 * Resolves to `preferred`, or to the first port 100, 200 … above it, that is free and that no other process has from this
 * function: the program that is to listen on it starts seconds later.
 */
export async function freePort(preferred) {
  for (let port = preferred; port < 65_536; port += 100) {
    const reservation = await reserve(port);
    if (reservation === undefined) continue;
    if (await isFree(port)) {
      reservations.push(reservation);
      return port;
    }
    reservation.close();
  }
  throw new SetupError(`No port is free from ${preferred} in steps of 100.`);
}

/**
 * Reserves a port by an abstract socket, which ends with its process; undefined when another process has it. The tests
 * name their sockets alike (shared/src/platform/testing/free-port.fixture.ts), so that a demo beside them takes none of theirs.
 */
const reserve = (port) =>
  new Promise((resolve) => {
    const server = createServer().unref();
    server.once("error", () => resolve(undefined));
    server.listen(`\0realmwatch-port-${port}`, () => resolve(server));
  });

/** Resolves to true when a port of the loopback address accepts connections. */
export const answers = (port) =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true));
    socket.once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });

/**
 * Calls `condition` every 100 ms until it returns a true value, and resolves to that. Rejects after `limitMs` with `what`
 * and the last error of `condition`.
 */
export async function until(what, condition, limitMs = 30_000) {
  const endMs = Date.now() + limitMs;
  let last = "";
  for (;;) {
    try {
      const value = await condition();
      if (value) return value;
    } catch (error) {
      last = ` (${error.message})`;
    }
    if (Date.now() > endMs) throw new Error(`not within ${limitMs / 1000} s: ${what}${last}`);
    await sleep(100);
  }
}
