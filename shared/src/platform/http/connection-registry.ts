import type { Socket } from "node:net";
import { SlotTable } from "../slot-table.ts";

/** Maximum numbers of open connections. */
export type ConnectionLimits = {
  readonly total: number;
  /** Connections of one address. Trusted proxies are exempt, because many callers share their address. */
  readonly perPeer: number;
};

/** The open connections of a server. */
type ConnectionRegistry = {
  /**
   * Adds a connection until it closes. False when a limit is reached; `perPeer` applies only when `limitPeer` is true.
   */
  readonly add: (socket: Socket, peer: string, limitPeer: boolean) => boolean;
  readonly count: () => number;
  /** Number of connections refused since the start. */
  readonly refused: () => number;
  /** Resolves when no connection is open. */
  readonly whenEmpty: () => Promise<void>;
  readonly destroyAll: () => void;
};

export function connectionRegistry({ total, perPeer }: ConnectionLimits): ConnectionRegistry {
  const sockets = new SlotTable<Socket>();
  const byPeer = new Map<string, number>();
  const waiting: (() => void)[] = [];
  let refused = 0;
  function leave(slot: number, peer: string): void {
    sockets.remove(slot);
    const left = (byPeer.get(peer) ?? 1) - 1;
    if (left > 0) byPeer.set(peer, left);
    else byPeer.delete(peer);
    if (sockets.size === 0) for (const done of waiting.splice(0)) done();
  }
  return {
    add(socket, peer, limitPeer) {
      const ofPeer = byPeer.get(peer) ?? 0;
      if (sockets.size >= total || (limitPeer && ofPeer >= perPeer)) {
        refused += 1;
        return false;
      }
      const slot = sockets.add(socket);
      byPeer.set(peer, ofPeer + 1);
      socket.once("close", () => leave(slot, peer));
      return true;
    },
    count: () => sockets.size,
    refused: () => refused,
    whenEmpty: () => (sockets.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
    destroyAll() {
      for (const socket of sockets) socket.destroy();
    },
  };
}
