import { createServer as createHttp1, type Server as Http1Server } from "node:http";
import { type AddressInfo, createServer as createTcp, isIPv6, type Server, type Socket } from "node:net";
import { fail, ok, type Result } from "../../model/result.ts";
import type { DispatchedResponse } from "../../wire/nats/nats-rpc.ts";
import type { DispatchedRequest } from "../rpc/dispatched-rpc.ts";
import { type Connection, connectionOf } from "./connection.ts";
import { type ConnectionLimits, ConnectionRegistry } from "./connection-registry.ts";
import { type Http2Limits, openHttp2Server } from "./http2-server.ts";
import { resolvePeer } from "./peer-address.ts";
import { sniffProtocol } from "./protocol-sniffer.ts";
import { RequestHandler, type RequestHandlerOptions, type RequestLimits } from "./request-handler.ts";
import { type PortTls, tlsHandshakes } from "./tls-handshakes.ts";

type PortServerLimits = ConnectionLimits &
  Http2Limits &
  RequestLimits & {
    /** Time after which a connection is dropped whose handshake is not complete or whose protocol is undetected, ms. */
    readonly sniffMs: number;
    /** Time within which a request's headers must arrive, ms. */
    readonly headersMs: number;
  };

const defaultPortServerLimits: PortServerLimits = {
  total: 2_000,
  perPeer: 1_000,
  streams: 128,
  headerBytes: 16_384,
  idleMs: 60_000,
  sniffMs: 5_000,
  headersMs: 10_000,
  transferMs: 60_000,
  lingerMs: 2_000,
};

export type PortServerOptions = RequestHandlerOptions & {
  /** Port 0 selects a free port; an empty host means all addresses. */
  readonly listen: { readonly host: string; readonly port: number };
  /** Flag of that address, for the message when it cannot be used. Default `-listen`. */
  readonly listenFlag?: string;
  /** Certificate of the port; default: connections are not encrypted. */
  readonly tls?: PortTls | undefined;
  readonly limits?: Partial<PortServerLimits>;
};

export type PortServer = {
  /** Local address as the operating system reports it. */
  readonly address: string;
  readonly port: number;
  /** URL of that address. */
  readonly url: string;
  readonly connections: () => { readonly open: number; readonly refused: number };
  /** Answers an RPC that arrived by another transport in the same way as the port. Never rejects. */
  readonly dispatch: (call: DispatchedRequest) => Promise<DispatchedResponse>;
  /** Stops accepting, waits up to `graceMs` for active requests, then aborts them. May be called twice. */
  readonly close: (graceMs: number) => Promise<void>;
};

/**
 * Opens the single port of a program: RPCs by Connect, gRPC and gRPC-Web, pages and the web application, over HTTP/1.1
 * and cleartext HTTP/2, distinguished by a connection's first bytes.
 *
 * @returns the server, or a one-line message when the port cannot be opened
 */
export async function openPortServer(options: PortServerOptions): Promise<Result<PortServer, string>> {
  const limits = { ...defaultPortServerLimits, ...options.limits };
  const { clock } = options.rpc;
  const registry = new ConnectionRegistry(limits);
  const sniffing = new Set<() => void>();
  const handler = new RequestHandler(options, limits);
  const http1 = openHttp1(limits, handler);
  const http2 = openHttp2Server(limits, clock);
  http2.server.on("request", (request, response) => handler.handle(request, response));
  const servers = { http1, http2: http2.server };
  function sniff(socket: Socket, connection: Connection): void {
    connection.mark(socket);
    const drop = sniffProtocol(
      socket,
      (protocol) => {
        sniffing.delete(drop);
        // A client of HTTP/2 that has ended its side reads no more: responses that wait for its window would be kept.
        if (protocol === "http2") socket.once("end", () => socket.destroy());
        servers[protocol].emit("connection", socket);
      },
      { clock, deadlineMs: limits.sniffMs },
    );
    sniffing.add(drop);
    socket.once("close", () => sniffing.delete(drop));
  }
  const tls = options.tls && tlsHandshakes(options.tls, { deadlineMs: limits.sniffMs });
  const tcp = createTcp({ noDelay: true, allowHalfOpen: true }, (socket) => {
    const peer = resolvePeer(socket.remoteAddress ?? "", undefined, options.trustedProxies);
    const connection = registry.add(socket, peer, !options.trustedProxies.includes(peer));
    if (connection === undefined) socket.destroy();
    else if (tls === undefined) sniff(socket, connection);
    else tls.begin(socket, (encrypted) => sniff(encrypted, connection));
  });
  const listening = await listen(tcp, options);
  if (!listening.ok) return listening;
  const { address, port } = tcp.address() as AddressInfo;
  const end = async (graceMs: number): Promise<void> => {
    handler.drain();
    tcp.close();
    tls?.drop();
    for (const drop of sniffing) drop();
    http1.closeIdleConnections();
    http2.drain();
    const cancel = clock.after(graceMs, () => registry.destroyAll());
    await registry.whenEmpty();
    cancel();
    handler.stop();
    http1.close();
  };
  let closing: Promise<void> | undefined;
  return ok({
    address,
    port,
    url: `${tls === undefined ? "http" : "https"}://${isIPv6(address) ? `[${address}]` : address}:${port}`,
    connections: () => ({ open: registry.count, refused: registry.refused }),
    dispatch: handler.dispatch,
    close: (graceMs) => (closing ??= end(graceMs)),
  });
}

function openHttp1(limits: PortServerLimits, handler: RequestHandler): Http1Server {
  const server = createHttp1({
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersMs,
    // The deadline of the RPC bounds the time to read a body.
    requestTimeout: 0,
    keepAliveTimeout: limits.idleMs,
    connectionsCheckingInterval: Math.min(1_000, limits.headersMs),
  });
  server.maxHeadersCount = 200;
  server.on("request", (request, response) => {
    connectionOf(request)?.serveInTurn(response, () => handler.handle(request, response));
  });
  server.on("checkExpectation", (_, response) => response.writeHead(417, { connection: "close" }).end());
  // The server never listens itself, and starts to enforce `headersTimeout` only on this event.
  server.emit("listening");
  return server;
}

function listen(
  server: Server,
  { listen: { host, port }, listenFlag = "-listen" }: Pick<PortServerOptions, "listen" | "listenFlag">,
): Promise<Result<undefined, string>> {
  return new Promise((resolve) => {
    server.on("error", (error: NodeJS.ErrnoException) => {
      const why = error.code === "EADDRINUSE" ? "the port is in use" : error.message;
      resolve(fail(`cannot listen at ${host}:${port}: ${why}; choose another address with ${listenFlag}`));
    });
    server.listen({ port, ...(host === "" ? {} : { host }) }, () => resolve(ok(undefined)));
  });
}
