import type { ServerResponse } from "node:http";
import { constants } from "node:http2";
import type { Clock } from "../../model/clock.ts";
import type { Result } from "../../model/result.ts";
import { Admission, type AdmissionLimits, defaultAdmissionLimits } from "../admission/admission.ts";
import type { NetworkList } from "../network/network-list.ts";
import { type RpcServerOptions, rpcHandler } from "../rpc/rpc-handler.ts";
import { isGrpcCall, refuseUnknownRpc } from "../rpc/unknown-rpc.ts";
import type { OpenRequest } from "./connection.ts";
import { type AllowedHosts, hostName, isFromBrowser } from "./host-header.ts";
import { type HttpExchange, type HttpRequest, type HttpResponse, isWhole } from "./http-messages.ts";
import { abortRequest, OpenRequests } from "./open-requests.ts";
import { type PageServerOptions, servePage } from "./pages.ts";
import { resolvePeer } from "./peer-address.ts";
import { type RequestAddress, requestAddress } from "./request-address.ts";
import { securityHeaders } from "./security-headers.ts";
import { serveUpload, type Uploads } from "./uploads.ts";

export type RequestLimits = {
  /** Maximum size of a request's headers, bytes. */
  readonly headerBytes: number;
  /** Time beyond its deadline after which a request that is still read or answered is aborted, ms. */
  readonly transferMs: number;
  /** Time for which the remaining body of a refused request is read and discarded, ms. */
  readonly lingerMs: number;
};

export type RequestHandlerOptions = PageServerOptions & {
  readonly rpc: RpcServerOptions;
  /** Paths that take POST requests of other protocols; default: none. */
  readonly uploads?: Uploads | undefined;
  /**
   * True for the path of a service that answers HTTP 404 on every wire; a gRPC call of any other unknown path gets
   * `unimplemented` in trailers. Default: false.
   */
  readonly isUnmounted?: (path: string) => boolean;
  /** Addresses of reverse proxies whose `X-Forwarded-` headers are trusted. */
  readonly trustedProxies: NetworkList;
  /** Limits of the requests and bytes of a peer. */
  readonly admission?: Partial<AdmissionLimits>;
  /** Hosts at which a browser's request is answered. Default: any. */
  readonly allowedHosts?: AllowedHosts | undefined;
  /** Called with the error that a page handler threw, which is a bug. */
  readonly onFault: (error: unknown) => void;
};

/** Answers the requests of a port: RPCs, pages and uploads. */
export class RequestHandler {
  readonly #options: RequestHandlerOptions;
  readonly #limits: RequestLimits;
  readonly #rpc: ReturnType<typeof rpcHandler>;
  readonly #admission: Admission;
  readonly #open: OpenRequests;
  #isDraining = false;

  constructor(options: RequestHandlerOptions, limits: RequestLimits) {
    const { clock } = options.rpc;
    this.#options = options;
    this.#limits = limits;
    this.#rpc = rpcHandler(options.rpc);
    this.#admission = new Admission({ ...defaultAdmissionLimits, ...options.admission }, clock);
    this.#open = new OpenRequests(clock, Math.min(1_000, limits.transferMs));
  }

  get dispatch(): ReturnType<typeof rpcHandler>["dispatch"] {
    return this.#rpc.dispatch;
  }

  /** Ends streaming calls, and announces that connections are closed after their current request. */
  drain(): void {
    this.#isDraining = true;
    this.#rpc.endStreams();
    for (const { response } of this.#open) announceClose(response);
  }

  /** To be called when no request is open any more. */
  stop(): void {
    this.#open.stop();
  }

  /** Admits a request, and answers it when its turn comes. */
  handle(request: HttpRequest, response: HttpResponse): void {
    if (request.httpVersionMajor < 1) return void request.socket.destroy();
    const { clock, limit } = this.#options.rpc;
    const path = (request.url ?? "").split("?", 1)[0] ?? "";
    const peer = peerOfRequest(request, this.#options.trustedProxies);
    if (this.#isDraining) announceClose(response);
    const enteredMs = clock.monotonic();
    const deadlineMs = enteredMs + (this.#rpc.limitOf(path) ?? limit).deadlineMs + this.#limits.transferMs;
    const open: OpenRequest = { request, response, deadlineMs, admitted: undefined };
    this.#open.add(open);
    response.once("close", () => open.admitted?.leave());
    // A response of HTTP/2 finishes only when its stream closes, for which the server may wait in vain.
    const written = "stream" in response ? response.stream : response;
    written.once("finish", () => {
      open.admitted?.sent(open.admitted.unsentBytes);
      discardRemainingBody(request, this.#limits.lingerMs, clock);
    });
    // A broken connection emits an error on the response, which needs no handling.
    response.on("error", () => {});
    const entered = this.#admission.enter(peer, {
      begin: (admitted) => {
        open.admitted = admitted;
        this.#answer({ request, response, admitted }, { path, peer, waitedMs: clock.monotonic() - enteredMs });
      },
      isStreaming: this.#rpc.isStreaming(path),
      heldBytes: heldBytesOf(request),
    });
    open.admitted = entered;
    if (entered === undefined) refuse(response, tooManyRequests);
  }

  #answer(
    exchange: HttpExchange,
    called: { readonly path: string; readonly peer: string; readonly waitedMs: number },
  ): void {
    const { request, response } = exchange;
    const { path, peer } = called;
    const { trustedProxies, allowedHosts, isUnmounted, uploads, onFault } = this.#options;
    const isRpc = this.#rpc.limitOf(path) !== undefined;
    const address = requestAddress(request, trustedProxies);
    const refusal = refusalOf(request, address, { limits: this.#limits, isRpc, allowed: allowedHosts });
    if (isRpc && address.ok && refusal === undefined) {
      this.#rpc.handle(path, exchange, { ...called, ...address.value }).catch(onFault);
      return;
    }
    for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value);
    const upload = uploads?.handlerOf(path, request.method ?? "");
    if (refusal !== undefined) refuse(response, refusal);
    else if (isGrpcCall(request) && isUnmounted?.(path) !== true) refuseUnknownRpc(path, request, response);
    else if (upload !== undefined && uploads !== undefined) {
      const { clock } = this.#options.rpc;
      serveUpload(exchange, { handler: upload, limit: uploads.limit, peer, clock }).catch(onFault);
    } else servePage(exchange, { ...this.#options, peer }).catch(onFault);
  }
}

/** Reason to answer a request with an error before its path or body is read. */
type RequestRefusal = {
  readonly status: 400 | 403 | 429 | 431;
  readonly code: "invalid_argument" | "permission_denied" | "resource_exhausted";
  readonly message: string;
};

const tooManyRequests: RequestRefusal = {
  status: 429,
  code: "resource_exhausted",
  message: "too many requests of this address are waiting: try again later",
};

function refusalOf(
  request: HttpRequest,
  address: Result<RequestAddress, string>,
  options: { readonly limits: RequestLimits; readonly isRpc: boolean; readonly allowed: AllowedHosts | undefined },
): RequestRefusal | undefined {
  const { limits, isRpc, allowed } = options;
  const code = "invalid_argument";
  if (request.httpVersionMajor === 2 && headerLength(request) > limits.headerBytes)
    return { status: 431, code, message: `the headers are larger than ${limits.headerBytes} bytes` };
  if (!address.ok) return { status: 400, code, message: address.error };
  if (allowed === undefined || !isFromBrowser(request, { read: isRpc })) return undefined;
  // A forwarded host does not replace the one of the request: a proxy may pass on what a page wrote into its header.
  if (address.value.hosts.every((host) => allowed(hostName(host)))) return undefined;
  const message = "browsers are not served under this host name; see -allowed-hosts and -public-url";
  return { status: 403, code: "permission_denied", message };
}

/** Answers in the form of a Connect error, which browsers' clients read. */
function refuse(response: HttpResponse, { status, code, message }: RequestRefusal): void {
  response.statusCode = status;
  response.setHeader("content-type", "application/json");
  response.setHeader("cache-control", "no-store");
  (response as ServerResponse).end(JSON.stringify({ code, message }));
}

/** Marks the response as the last one of an HTTP/1.1 connection. HTTP/2 announces this by a frame instead. */
function announceClose(response: HttpResponse): void {
  if (response.req.httpVersionMajor === 1 && !response.headersSent) response.setHeader("connection", "close");
}

function peerOfRequest(request: HttpRequest, trusted: NetworkList): string {
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

/** Bytes of a body that a connection or stream receives before the body is read: its buffer, or its window. */
const maxHeldBytes = 65_536;

function heldBytesOf(request: HttpRequest): number {
  const { "content-length": announced, "transfer-encoding": coding } = request.headers;
  const hasBody =
    "stream" in request ? !request.stream.endAfterHeaders : coding !== undefined || announced !== undefined;
  return hasBody ? Math.min(Number(announced ?? maxHeldBytes), maxHeldBytes) : 0;
}

/**
 * Reads and discards the rest of a body whose request was answered early. Closing the connection at once could lose the
 * response in transit, so the request is aborted only when the caller still sends after `lingerMs`.
 */
function discardRemainingBody(request: HttpRequest, lingerMs: number, clock: Clock): void {
  if (isWhole(request) || request.destroyed) return;
  const cancel = clock.after(lingerMs, () => {
    // With this code the caller keeps the response.
    if ("stream" in request) request.stream.close(constants.NGHTTP2_NO_ERROR);
    else abortRequest(request);
  });
  request.once("end", cancel);
  request.once("close", cancel);
  request.on("error", () => {});
  request.resume();
}
