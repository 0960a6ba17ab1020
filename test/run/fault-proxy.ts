import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { atEnd, type TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";

/**
 * Fate of a connection. `reset`: the request passes and the connection breaks at the first byte of the answer. `hang`:
 * the request passes and the answer does not. `hold`: the request passes when `release` is called.
 */
type ConnectionFate = "pass" | "reset" | "hang" | "hold";

/** State of the link through a proxy, for all its connections. */
export type LinkState = {
  /** Directions whose data wait until the link is healed, without an error at either end. */
  readonly cut?: "both" | "toServer" | "toClient";
  /** Delay of each portion of data, ms. Default 0. */
  readonly delayMs?: number;
};

export type FaultProxy = {
  readonly base: string;
  readonly port: number;
  /** Sets the state of the link for present and new connections. */
  setLink(link: LinkState): void;
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
  const flows = new Set<LinkFlow>();
  let link: LinkState = {};
  let waiting: (() => void)[] = [];
  const track = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on("error", () => {}).on("close", () => sockets.delete(socket));
  };
  const pass = (direction: LinkFlow["direction"], source: Socket, write: (data: Buffer) => void): void => {
    const flow: LinkFlow = { direction, source, isDelayed: false };
    flows.add(flow);
    source.on("close", () => flows.delete(flow)).on("data", (data: Buffer) => passData(flow, data, write));
    resume(flow);
  };
  const passData = (flow: LinkFlow, data: Buffer, write: (data: Buffer) => void): void => {
    const { delayMs = 0 } = link;
    if (delayMs === 0) return write(data);
    // The next portion is read after this one was written: the order stays.
    flow.isDelayed = true;
    flow.source.pause();
    setTimeout(() => {
      write(data);
      flow.isDelayed = false;
      resume(flow);
    }, delayMs);
  };
  const resume = ({ direction, source, isDelayed }: LinkFlow): void => {
    if (isDelayed || link.cut === "both" || link.cut === direction) source.pause();
    else source.resume();
  };
  const server = createServer((near) => {
    const fate = proxy.fates.shift() ?? "pass";
    const far = track(connect(port, "127.0.0.1"));
    track(near).on("close", () => fate !== "hold" && far.destroy());
    far.on("close", () => near.destroy());
    pass("toClient", far, (data) => {
      if (fate === "pass" || fate === "hold") near.write(data);
      if (fate !== "reset") return;
      proxy.onReset();
      near.resetAndDestroy();
    });
    const chunks: Buffer[] = [];
    let isHeld = fate === "hold";
    pass("toServer", near, (data) => void (isHeld ? chunks.push(data) : far.write(data)));
    if (isHeld)
      waiting.push(() => {
        isHeld = false;
        for (const chunk of chunks) far.write(chunk);
      });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEnd(scope, () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port: ownPort } = server.address() as AddressInfo;
  const proxy: FaultProxy = {
    base: `http://127.0.0.1:${ownPort}`,
    port: ownPort,
    setLink(next) {
      link = next;
      for (const flow of flows) resume(flow);
    },
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

/** Data of one connection in one direction. */
type LinkFlow = { readonly direction: "toServer" | "toClient"; readonly source: Socket; isDelayed: boolean };
