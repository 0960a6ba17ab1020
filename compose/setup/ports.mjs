import { connect, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** Whether a TCP port of the loopback can be listened on. */
export const isFree = (port) =>
  new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });

/** `wished` where it is free, else any free port. */
export const freePort = async (wished = 0) =>
  wished !== 0 && (await isFree(wished))
    ? wished
    : new Promise((resolve, reject) => {
        const server = createServer();
        server.once("error", reject);
        server.listen(0, "127.0.0.1", () => {
          const { port } = server.address();
          server.close(() => resolve(port));
        });
      });

/** Whether somebody accepts connections there. */
export const answers = (port) =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true));
    socket.once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });

/** Asks until `condition` holds. Rejects with `what` after `limitMs`, or with what `condition` threw last. */
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
