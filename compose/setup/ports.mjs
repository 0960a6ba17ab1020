import { connect, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** Resolves to true when a TCP port of the loopback address is free. */
export const isFree = (port) =>
  new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });

/** Resolves to `preferred` if it is free, else to any free port. */
export const freePort = async (preferred = 0) =>
  preferred !== 0 && (await isFree(preferred))
    ? preferred
    : new Promise((resolve, reject) => {
        const server = createServer();
        server.once("error", reject);
        server.listen(0, "127.0.0.1", () => {
          const { port } = server.address();
          server.close(() => resolve(port));
        });
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
