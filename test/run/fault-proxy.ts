import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { TestScope } from "./processes.ts";

/**
 * Fate of a connection. `reset`: the request passes and the connection breaks at the first byte of the answer. `hang`:
 * the request passes and the answer does not. `hold`: the request passes when `release` is called.
 */
export type ConnectionFate = "pass" | "reset" | "hang" | "hold";

export type FaultProxy = {
  readonly base: string;
  /** Fates of the next connections, in order; `pass` when there are none. */
  readonly fates: ConnectionFate[];
  /** Called when a connection breaks by `reset`, with the answer on its way. */
  onReset: () => void;
  /** Breaks the present connections, so that the next call gets the next fate. */
  breakAll(): void;
  /** Number of connections whose request is held. */
  held(): number;
  /** Sends the held requests. */
  release(): void;
};

/** Opens a TCP proxy before `port` of this machine. */
export async function openFaultProxy(scope: TestScope, port: number): Promise<FaultProxy> {
  const sockets = new Set<Socket>();
  let waiting: (() => void)[] = [];
  const track = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on("error", () => {}).on("close", () => sockets.delete(socket));
  };
  const server = createServer((near) => {
    const fate = proxy.fates.shift() ?? "pass";
    const far = track(connect(port, "127.0.0.1"));
    track(near).on("close", () => fate !== "hold" && far.destroy());
    far.on("close", () => near.destroy());
    far.on("data", (data) => {
      if (fate === "pass" || fate === "hold") near.write(data);
      if (fate !== "reset") return;
      proxy.onReset();
      near.resetAndDestroy();
    });
    const chunks: Buffer[] = [];
    let isHeld = fate === "hold";
    near.on("data", (data: Buffer) => (isHeld ? chunks.push(data) : far.write(data)));
    if (isHeld)
      waiting.push(() => {
        isHeld = false;
        for (const chunk of chunks) far.write(chunk);
      });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  scope.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const proxy: FaultProxy = {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fates: [],
    onReset() {},
    breakAll() {
      for (const socket of sockets) socket.destroy();
    },
    held: () => waiting.length,
    release() {
      for (const send of waiting) send();
      waiting = [];
    },
  };
  return proxy;
}
