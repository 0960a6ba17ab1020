import { type ClientRequest, Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type { Socket } from "node:net";

/** Timeout for a connection, ms. Without one the realm is unreachable, before any deadline. */
const connectTimeoutMs = 3_000;
/** Maximum number of concurrent calls to one realm; further ones wait. */
const maxSockets = 32;

/** HTTP agent of one call. */
type CallAgent = {
  readonly agent: HttpAgent;
  /** True when the call had a connection, so that its request may have been sent. */
  wasSent(): boolean;
};

/** Opens the connections to a server, which all calls share. */
export function openCallAgents(url: string) {
  const isEncrypted = url.startsWith("https:");
  const shared = openAgent(isEncrypted);
  const connectedEvent = isEncrypted ? "secureConnect" : "connect";
  return {
    forCall(): CallAgent {
      let sent = false;
      const watch = (socket: Socket): void => {
        if (isReady(socket)) sent = true;
        else socket.once(connectedEvent, () => (sent = true));
      };
      const agent = Object.create(shared, {
        addRequest: {
          value(request: ClientRequest, ...rest: unknown[]) {
            request.once("socket", watch);
            return (shared as unknown as WithAddRequest).addRequest(request, ...rest);
          },
        },
      }) as HttpAgent;
      return { agent, wasSent: () => sent };
    },
    close: () => shared.destroy(),
  };
}

/** Part of Node's agents that requests use; it is documented only for subclasses. */
type WithAddRequest = { addRequest(request: ClientRequest, ...rest: unknown[]): void };

/** True when a socket is connected, with TLS after its handshake. */
function isReady(socket: Socket): boolean {
  const { secureConnecting = false } = socket as Socket & { secureConnecting?: boolean };
  return !socket.connecting && !secureConnecting;
}

function openAgent(isEncrypted: boolean): HttpAgent {
  const options = { keepAlive: true, maxSockets };
  const agent = isEncrypted ? new HttpsAgent(options) : new HttpAgent(options);
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (...args: Parameters<typeof connect>) => {
    const socket = connect(...args) as Socket;
    // After a stall of this process the timer fires before the event of a connection that was made in time.
    socket.setTimeout(connectTimeoutMs, () =>
      setImmediate(() => {
        if (!isReady(socket)) socket.destroy(new Error(`no connection within ${connectTimeoutMs / 1000} s`));
      }),
    );
    socket.once(isEncrypted ? "secureConnect" : "connect", () => socket.setTimeout(0));
    return socket;
  };
  return agent;
}
