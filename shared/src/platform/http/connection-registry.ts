import type { Socket } from "node:net";
import { SlotTable } from "../slot-table.ts";
import { Connection } from "./connection.ts";
import { peerNetwork } from "./peer-network.ts";

/** Maximum numbers of open connections. */
export type ConnectionLimits = {
  readonly total: number;
  /** Connections of one address or IPv6 network. Trusted proxies are exempt, because many callers share their address. */
  readonly perPeer: number;
};

/** Connections of one peer, in the order in which they were opened. */
type PeerConnections = { readonly connections: Connection[]; readonly isLimited: boolean };

/** The open connections of a server. */
export class ConnectionRegistry {
  readonly #limits: ConnectionLimits;
  readonly #open = new SlotTable<Connection>();
  readonly #byPeer = new Map<string, PeerConnections>();
  readonly #waiting: (() => void)[] = [];
  #refused = 0;

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  /** Number of open connections. */
  get count(): number {
    return this.#open.size;
  }

  /** Number of connections refused since the start. */
  get refused(): number {
    return this.#refused;
  }

  /** Adds a connection until it closes. Undefined when a limit is reached; `perPeer` applies only when `isLimited` is true. */
  add(socket: Socket, address: string, isLimited: boolean): Connection | undefined {
    const key = peerNetwork(address);
    const peer = this.#byPeer.get(key) ?? { connections: [], isLimited };
    const isFull = isLimited && peer.connections.length >= this.#limits.perPeer;
    if (isFull || (this.#open.size >= this.#limits.total && !this.#closeOneOfLargerThan(peer))) {
      this.#refused += 1;
      return undefined;
    }
    const connection = new Connection(socket);
    const slot = this.#open.add(connection);
    peer.connections.push(connection);
    this.#byPeer.set(key, peer);
    socket.once("close", () => {
      this.#open.remove(slot);
      this.#leave(key, peer, connection);
    });
    return connection;
  }

  /** Resolves when no connection is open. */
  whenEmpty(): Promise<void> {
    return this.#open.size === 0 ? Promise.resolve() : new Promise((resolve) => this.#waiting.push(resolve));
  }

  destroyAll(): void {
    for (const { socket } of this.#open) socket.destroy();
  }

  /**
   * [PT27] Closes the oldest connection without a whole request of the peer with most connections. False when no peer has
   * such a connection and more connections than `peer` would have.
   */
  #closeOneOfLargerThan(peer: PeerConnections): boolean {
    const larger = [...this.#byPeer.values()]
      .filter(({ isLimited, connections }) => isLimited && connections.length > peer.connections.length + 1)
      .sort((one, other) => other.connections.length - one.connections.length);
    for (const { connections } of larger) {
      const closed = connections.find(({ socket, hasWholeRequest }) => !socket.destroyed && !hasWholeRequest);
      if (closed === undefined) continue;
      closed.socket.destroy();
      return true;
    }
    return false;
  }

  #leave(key: string, { connections }: PeerConnections, connection: Connection): void {
    connections.splice(connections.indexOf(connection), 1);
    if (connections.length === 0) this.#byPeer.delete(key);
    if (this.#open.size === 0) for (const done of this.#waiting.splice(0)) done();
  }
}
