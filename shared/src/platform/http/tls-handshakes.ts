import type { Socket } from "node:net";
import { createServer, type TLSSocket } from "node:tls";
import type { PemFiles } from "../tls/certificate-files.ts";

export type PortTls = {
  /** Returns the files for the next connection. With `ca` each client needs a certificate of these authorities. */
  readonly current: () => PemFiles;
  /** Called with the peer's address and the reason when a handshake fails. */
  readonly onFailed: (peer: string, reason: string) => void;
};

/**
 * Performs the TLS handshakes of a port: TLS 1.2 or later, with HTTP/2 and HTTP/1.1 by ALPN. A handshake that fails or
 * is not complete within `deadlineMs` closes its connection.
 */
export function tlsHandshakes({ current, onFailed }: PortTls, { deadlineMs }: { readonly deadlineMs: number }) {
  let used = current();
  // Keyed by addresses and ports: the event of a completed handshake does not have the TCP socket.
  const pending = new Map<string, { readonly socket: Socket; readonly take: (encrypted: TLSSocket) => void }>();
  // The server never listens itself. It has the TLS sockets made in the same way as one of node:https.
  const server = createServer({
    ...used,
    minVersion: "TLSv1.2",
    ALPNProtocols: ["h2", "http/1.1"],
    handshakeTimeout: deadlineMs,
    requestCert: used.ca !== undefined,
    rejectUnauthorized: true,
  });
  server.on("secureConnection", (socket) => {
    const key = endpointsOf(socket);
    const begun = pending.get(key);
    pending.delete(key);
    if (begun === undefined) socket.destroy();
    else begun.take(socket);
  });
  server.on("tlsClientError", (error: NodeJS.ErrnoException, socket) => {
    onFailed(socket.remoteAddress ?? "", String(socket.authorizationError ?? error.code ?? error.message));
    socket.destroy();
  });
  return {
    /** Begins the handshake of a new connection, which `take` receives when it is complete. */
    begin(socket: Socket, take: (encrypted: TLSSocket) => void) {
      const newest = current();
      if (newest !== used) {
        server.setSecureContext({ ...newest, minVersion: "TLSv1.2" });
        used = newest;
      }
      const key = endpointsOf(socket);
      pending.set(key, { socket, take });
      socket.once("close", () => pending.delete(key));
      server.emit("connection", socket);
    },
    /** Closes the connections whose handshake is not complete. */
    drop() {
      for (const { socket } of pending.values()) socket.destroy();
    },
  };
}

const endpointsOf = ({ localAddress, localPort, remoteAddress, remotePort }: Socket): string =>
  [localAddress, localPort, remoteAddress, remotePort].join(" ");
