import { createServer as createHttp1, type Server as Http1Server, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcp, type Server } from "node:net";
import type { Clock } from "../../model/clock.ts";
import { fail, ok, type Result } from "../../model/result.ts";
import type { DispatchedRequest, DispatchedResponse } from "../rpc/rpc-dispatch.ts";
import { type RpcServerOptions, rpcHandler } from "../rpc/rpc-handler.ts";
import { isGrpcCall, refuseUnknownRpc } from "../rpc/unknown-rpc.ts";
import { ActiveRequests, abortRequest } from "./active-requests.ts";
import { type ConnectionLimits, connectionRegistry } from "./connection-registry.ts";
import { type AllowedHosts, hostName, isFromBrowser } from "./host-header.ts";
import type { HttpRequest, HttpResponse } from "./http-messages.ts";
import { type Http2Limits, openHttp2Server } from "./http2-server.ts";
import { type PageServerOptions, servePage } from "./pages.ts";
import { resolvePeer, type TrustedProxies } from "./peer-address.ts";
import { sniffProtocol } from "./protocol-sniffer.ts";
import { type RequestAddress, requestAddress } from "./request-address.ts";
import { securityHeaders } from "./security-headers.ts";
import { serveUpload, type Uploads } from "./uploads.ts";

type PortServerLimits = ConnectionLimits &
  Http2Limits & {
    /** Time after which a connection of undetected protocol is dropped, ms. */
    readonly sniffMs: number;
    /** Time within which a request's headers must arrive, ms. */
    readonly headersMs: number;
    /** Time beyond its deadline after which a request that is still read or answered is aborted, ms. */
    readonly transferMs: number;
    /** Time for which the remaining body of a refused request is read and discarded, ms. */
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

export type PortServerOptions = PageServerOptions & {
  /** Port 0 selects a free port; an empty host means all addresses. */
  readonly listen: { readonly host: string; readonly port: number };
  readonly rpc: RpcServerOptions;
  /** Paths that take POST requests of other protocols; default: none. */
  readonly uploads?: Uploads | undefined;
  /**
   * True for the path of a service that answers HTTP 404 on every wire; a gRPC call of any other unknown path gets
   * `unimplemented` in trailers. Default: false.
   */
  readonly isUnmounted?: (path: string) => boolean;
  readonly trustedProxies: TrustedProxies;
  readonly limits?: Partial<PortServerLimits>;
  /** Hosts at which a browser's request is answered. Default: any. */
  readonly allowedHosts?: AllowedHosts | undefined;
  /** Called with the error that a page handler threw, which is a bug. */
  readonly onFault: (error: unknown) => void;
};

export type PortServer = {
  /** Local address as the operating system reports it. */
  readonly address: string;
  readonly port: number;
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
  const registry = connectionRegistry(limits);
  const sniffing = new Set<() => void>();
  const handler = requestHandler(options, limits);
  const http1 = openHttp1(limits);
  const http2 = openHttp2Server(limits, clock);
  http1.on("request", handler.request);
  http2.server.on("request", handler.request);
  const tcp = createTcp({ noDelay: true, allowHalfOpen: true }, (socket) => {
    const peer = resolvePeer(socket.remoteAddress ?? "", undefined, options.trustedProxies);
    if (!registry.add(socket, peer, !options.trustedProxies.includes(peer))) return void socket.destroy();
    const drop = sniffProtocol(socket, (protocol) => passTo(protocol === "http2" ? http2.server : http1), {
      clock,
      deadlineMs: limits.sniffMs,
    });
    sniffing.add(drop);
    socket.once("close", () => sniffing.delete(drop));
    function passTo(server: Server): void {
      sniffing.delete(drop);
      // In HTTP/2 a client that has ended its side reads no more: responses that wait for its window would be kept.
      if (server === http2.server) socket.once("end", () => socket.destroy());
      server.emit("connection", socket);
    }
  });
  const listening = await listen(tcp, options.listen);
  if (!listening.ok) return listening;
  const { address, port } = tcp.address() as AddressInfo;
  const end = async (graceMs: number): Promise<void> => {
    handler.drain();
    tcp.close();
    for (const drop of sniffing) drop();
    http1.closeIdleConnections();
    http2.drain();
    const cancel = clock.after(graceMs, registry.destroyAll);
    await registry.whenEmpty();
    cancel();
    handler.stop();
    http1.close();
  };
  let closing: Promise<void> | undefined;
  return ok({
    address,
    port,
    connections: () => ({ open: registry.count(), refused: registry.refused() }),
    dispatch: handler.dispatch,
    close: (graceMs) => (closing ??= end(graceMs)),
  });
}

function openHttp1(limits: PortServerLimits): Http1Server {
  const server = createHttp1({
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersMs,
    // The deadline of the RPC bounds the time to read a body.
    requestTimeout: 0,
    keepAliveTimeout: limits.idleMs,
    connectionsCheckingInterval: Math.min(1_000, limits.headersMs),
  });
  server.maxHeadersCount = 200;
  // The server never listens itself, and starts to enforce `headersTimeout` only on this event.
  server.emit("listening");
  return server;
}

type RequestHandler = {
  readonly request: (request: HttpRequest, response: HttpResponse) => void;
  readonly dispatch: PortServer["dispatch"];
  readonly drain: () => void;
  /** To be called when no request is active any more. */
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
      rpc.endStreams();
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
      // A response of HTTP/2 finishes only when its stream closes, for which the server may wait in vain.
      const written = "stream" in response ? response.stream : response;
      written.once("finish", () => discardRemainingBody(request, limits.lingerMs, clock));
      // A broken connection emits an error on the response, which needs no handling.
      response.on("error", () => {});
      const address = requestAddress(request, options.trustedProxies);
      const refusal = refusalOf(request, address, {
        limits,
        isRpc: limit !== undefined,
        allowed: options.allowedHosts,
      });
      if (limit !== undefined && address.ok && refusal === undefined) {
        rpc.handle(path, request, response, { peer, ...address.value }).catch(options.onFault);
        return;
      }
      for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value);
      if (refusal !== undefined) {
        refuse(response, refusal);
      } else {
        const upload = request.method === "POST" ? options.uploads?.handlerOf(path) : undefined;
        if (isGrpcCall(request) && options.isUnmounted?.(path) !== true) refuseUnknownRpc(path, request, response);
        else if (upload !== undefined && options.uploads !== undefined) {
          const { limit: ofUploads } = options.uploads;
          const shared = { clock, budget: rpc.budget, turns: rpc.turns };
          serveUpload(request, response, { handler: upload, limit: ofUploads, peer, ...shared }).catch(options.onFault);
        } else servePage(request, response, { ...options, peer }).catch(options.onFault);
      }
    },
  };
}

/** Reason to answer a request with an error before its path or body is read. */
type RequestRefusal = { readonly status: 400 | 403 | 431; readonly message: string };

function refusalOf(
  request: HttpRequest,
  address: Result<RequestAddress, string>,
  options: { readonly limits: PortServerLimits; readonly isRpc: boolean; readonly allowed: AllowedHosts | undefined },
): RequestRefusal | undefined {
  const { limits, isRpc, allowed } = options;
  if (request.httpVersionMajor === 2 && headerLength(request) > limits.headerBytes)
    return { status: 431, message: `the headers are larger than ${limits.headerBytes} bytes` };
  if (!address.ok) return { status: 400, message: address.error };
  if (allowed === undefined || !isFromBrowser(request, { read: isRpc })) return undefined;
  // A forwarded host does not replace the one of the request: a proxy may pass on what a page wrote into its header.
  if (address.value.hosts.every((host) => allowed(hostName(host)))) return undefined;
  return { status: 403, message: "browsers are not served under this host name; see -allowed-hosts and -public-url" };
}

/** Answers in the form of a Connect error, which browsers' clients read. */
function refuse(response: HttpResponse, { status, message }: RequestRefusal): void {
  const code = status === 403 ? "permission_denied" : "invalid_argument";
  response.statusCode = status;
  response.setHeader("content-type", "application/json");
  response.setHeader("cache-control", "no-store");
  (response as ServerResponse).end(JSON.stringify({ code, message }));
}

/** Marks the response as the last one of an HTTP/1.1 connection. HTTP/2 announces this by a frame instead. */
function announceClose(response: HttpResponse): void {
  if (response.req.httpVersionMajor === 1 && !response.headersSent) response.setHeader("connection", "close");
}

function peerOfRequest(request: HttpRequest, trusted: TrustedProxies): string {
  const forwarded = request.headers["x-forwarded-for"];
  return resolvePeer(
    request.socket.remoteAddress ?? "",
    Array.isArray(forwarded) ? forwarded.join() : forwarded,
    trusted,
  );
}

/**
 * Total length of the headers, characters. HTTP/2 enforces the limit only after the client acknowledged our settings.
 */
const headerLength = (request: HttpRequest): number => request.rawHeaders.reduce((sum, text) => sum + text.length, 0);

/**
 * Reads and discards the rest of a body whose request was answered early. Closing the connection at once could lose the
 * response in transit, so the request is aborted only when the caller still sends after `lingerMs`.
 */
function discardRemainingBody(request: HttpRequest, lingerMs: number, clock: Clock): void {
  const complete = "stream" in request ? request.stream.endAfterHeaders || request.readableEnded : request.complete;
  if (complete || request.destroyed) return;
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
      resolve(fail(`cannot listen at ${host}:${port}: ${why}; choose another address with -listen`));
    });
    server.listen({ port, ...(host === "" ? {} : { host }) }, () => resolve(ok(undefined)));
  });
}
