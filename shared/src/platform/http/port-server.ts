import { createServer as createHttp1, type Server as Http1Server, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcp, type Server, type Socket } from "node:net";
import type { Clock } from "../../model/clock.ts";
import { fail, ok, type Result } from "../../model/result.ts";
import { type ConnectionLimits, connectionRegistry } from "./connection-registry.ts";
import { servePage, type PageOptions } from "./pages.ts";
import { type Http2Limits, openHttp2Server } from "./http2-server.ts";
import { abortRequest, ActiveRequests } from "./active-requests.ts";
import { resolvePeer, type TrustedProxies } from "./peer-address.ts";
import { sniffProtocol } from "./protocol-sniffer.ts";
import type { DispatchedResponse, DispatchedRequest } from "../rpc/rpc-dispatch.ts";
import { type HttpRequest, type HttpResponse, type RpcServerOptions, rpcHandler } from "../rpc/rpc-handler.ts";
import { securityHeaders } from "./security-headers.ts";

export type PortServerLimits = ConnectionLimits &
  Http2Limits & {
    /** A connection that has not said what it speaks is dropped after this, ms. */
    readonly sniffMs: number;
    /** Headers must have come after this, ms. */
    readonly headersMs: number;
    /** What a request may take beyond its deadline to be read and answered, ms; then it is cut off. */
    readonly transferMs: number;
    /** How long what is left of a refused request's body is read and thrown away, ms. */
    readonly lingerMs: number;
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

export type PortServerOptions = PageOptions & {
  /** Port 0 takes a free one; an empty host is every address. */
  readonly listen: { readonly host: string; readonly port: number };
  readonly rpc: RpcServerOptions;
  readonly trustedProxies: TrustedProxies;
  readonly limits?: Partial<PortServerLimits>;
  /** Told of what a page threw: a bug. */
  readonly onFault: (error: unknown) => void;
};

export type PortServer = {
  /** As the system gives it. */
  readonly address: string;
  readonly port: number;
  readonly connections: () => { readonly open: number; readonly refused: number };
  /** Answers a call that came another way, as the port would. Never rejects. */
  readonly dispatch: (call: DispatchedRequest) => Promise<DispatchedResponse>;
  /** Stops accepting, lets running requests end for up to `graceMs`, then cuts them off. May be called twice. */
  readonly close: (graceMs: number) => Promise<void>;
};

/**
 * Opens the one port of a program: RPCs by Connect, gRPC and gRPC-Web, pages and the web application, over
 * HTTP/1.1 and cleartext HTTP/2, told apart by a connection's first bytes.
 *
 * @returns what keeps the port from being opened, in one line
 */
export async function openPortServer(options: PortServerOptions): Promise<Result<PortServer, string>> {
  const limits = { ...defaultPortServerLimits, ...options.limits };
  const { clock } = options.rpc;
  const book = connectionRegistry(limits);
  const sniffing = new Set<() => void>();
  const answer = requestHandler(options, limits);
  const http1 = openHttp1(limits);
  const http2 = openHttp2Server(limits, clock);
  http1.on("request", answer.request);
  http2.server.on("request", answer.request);
  const tcp = createTcp({ noDelay: true, allowHalfOpen: true }, (socket) => {
    const peer = resolvePeer(socket.remoteAddress ?? "", undefined, options.trustedProxies);
    if (!book.add(socket, peer, !options.trustedProxies.includes(peer))) return void socket.destroy();
    const drop = sniffProtocol(socket, (protocol) => hand(socket, protocol === "http2" ? http2.server : http1), {
      clock,
      deadlineMs: limits.sniffMs,
    });
    sniffing.add(drop);
    socket.once("close", () => sniffing.delete(drop));
    function hand(to: Socket, server: Server): void {
      sniffing.delete(drop);
      server.emit("connection", to);
    }
  });
  const listening = await listen(tcp, options.listen);
  if (!listening.ok) return listening;
  const { address, port } = tcp.address() as AddressInfo;
  const end = async (graceMs: number): Promise<void> => {
    answer.drain();
    tcp.close();
    for (const drop of sniffing) drop();
    http1.closeIdleConnections();
    http2.drain();
    const cancel = clock.after(graceMs, book.destroyAll);
    await book.whenEmpty();
    cancel();
    answer.stop();
    http1.close();
  };
  let closing: Promise<void> | undefined;
  return ok({
    address,
    port,
    connections: () => ({ open: book.count(), refused: book.refused() }),
    dispatch: answer.dispatch,
    close: (graceMs) => (closing ??= end(graceMs)),
  });
}

function openHttp1(limits: PortServerLimits): Http1Server {
  const server = createHttp1({
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersMs,
    // Bodies have their RPC's own deadline.
    requestTimeout: 0,
    keepAliveTimeout: limits.idleMs,
    connectionsCheckingInterval: Math.min(1_000, limits.headersMs),
  });
  server.maxHeadersCount = 200;
  // The server never listens itself; without this event it would not watch over its connections' headers.
  server.emit("listening");
  return server;
}

type RequestHandler = {
  readonly request: (request: HttpRequest, response: HttpResponse) => void;
  readonly dispatch: PortServer["dispatch"];
  readonly drain: () => void;
  /** No request is open any more. */
  readonly stop: () => void;
};

function requestHandler(options: PortServerOptions, limits: PortServerLimits): RequestHandler {
  const rpc = rpcHandler(options.rpc);
  const { clock } = options.rpc;
  const open = new ActiveRequests(clock, Math.min(1_000, limits.transferMs));
  let draining = false;
  return {
    dispatch: rpc.dispatch,
    drain() {
      draining = true;
      for (const { response } of open) announceClose(response);
    },
    stop: () => open.stop(),
    request(request, response) {
      if (request.httpVersionMajor < 1) return void request.socket.destroy();
      const path = (request.url ?? "").split("?", 1)[0] ?? "";
      const limit = rpc.limitOf(path);
      const peer = peerOfRequest(request, options.trustedProxies);
      if (draining) announceClose(response);
      const slot = open.add(request, response, (limit ?? options.rpc.limit).deadlineMs + limits.transferMs);
      response.once("close", () => open.remove(slot));
      response.once("finish", () => discardRemainingBody(request, limits.lingerMs, clock));
      // A response whose connection broke says so by an error, which concerns nobody.
      response.on("error", () => {});
      const tooMuch = request.httpVersionMajor === 2 && headerLength(request) > limits.headerBytes;
      if (limit !== undefined && !tooMuch) {
        rpc.handle(path, request, response, peer).catch(options.onFault);
        return;
      }
      for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value);
      if (tooMuch) {
        response.statusCode = 431;
        (response as ServerResponse).end();
      } else {
        servePage(request, response, { ...options, peer }).catch(options.onFault);
      }
    },
  };
}

/** The last answer of its connection, where the version says such things by a header. */
function announceClose(response: HttpResponse): void {
  if (response.req.httpVersionMajor === 1 && !response.headersSent) response.setHeader("connection", "close");
}

function peerOfRequest(request: HttpRequest, trusted: TrustedProxies): string {
  const forwarded = request.headers["x-forwarded-for"];
  return resolvePeer(request.socket.remoteAddress ?? "", Array.isArray(forwarded) ? forwarded.join() : forwarded, trusted);
}

/** A caller that has not yet acknowledged our settings may send more over HTTP/2 than they allow. */
const headerLength = (request: HttpRequest): number => request.rawHeaders.reduce((sum, text) => sum + text.length, 0);

/**
 * A request that was answered before its body had come: closing at once could lose the answer on its way, so the rest
 * is read for a while, and only a caller that goes on sending is cut off.
 */
function discardRemainingBody(request: HttpRequest, lingerMs: number, clock: Clock): void {
  const whole = "stream" in request ? request.stream.endAfterHeaders || request.readableEnded : request.complete;
  if (whole || request.destroyed) return;
  const cancel = clock.after(lingerMs, () => abortRequest(request));
  request.once("end", cancel);
  request.once("close", cancel);
  request.on("error", () => {});
  request.resume();
}

function listen(server: Server, { host, port }: PortServerOptions["listen"]): Promise<Result<undefined, string>> {
  return new Promise((resolve) => {
    server.on("error", (error: NodeJS.ErrnoException) => {
      const why = error.code === "EADDRINUSE" ? "the port is in use" : error.message;
      resolve(fail(`cannot listen at ${host}:${port}: ${why}`));
    });
    server.listen({ port, ...(host === "" ? {} : { host }) }, () => resolve(ok(undefined)));
  });
}
