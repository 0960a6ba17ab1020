import type { Socket } from "node:net";
import { SlotTable } from "../slot-table.ts";

export type ConnectionLimits = {
  readonly total: number;
  /** Of one address; does not bind proxies that are trusted, behind whose address are many callers. */
  readonly perPeer: number;
};

/** Keeps count of open connections, and knows them all. */
export type ConnectionRegistry = {
  /** Enters a connection until it closes. False where a limit forbids it. */
  readonly add: (socket: Socket, peer: string, bound: boolean) => boolean;
  readonly count: () => number;
  /** Connections refused since the start. */
  readonly refused: () => number;
  /** Resolves when none is left. */
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
    add(socket, peer, bound) {
      const ofPeer = byPeer.get(peer) ?? 0;
      if (sockets.size >= total || (bound && ofPeer >= perPeer)) {
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
