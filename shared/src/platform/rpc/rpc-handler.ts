import {
  Code,
  ConnectError,
  type ConnectRouter,
  createContextValues,
  type HandlerContext,
  type Interceptor,
} from "@connectrpc/connect";
import type { UniversalHandler } from "@connectrpc/connect/protocol";
import type { Clock } from "../../model/clock.ts";
import type { HttpExchange, HttpRequest } from "../http/http-messages.ts";
import { SlotTable } from "../slot-table.ts";
import { type Encoding, encodingOf } from "./decompress.ts";
import type { DispatchedRequest } from "./dispatched-rpc.ts";
import { freeGrown } from "./growing-buffer.ts";
import { refuseTooManyValues } from "./message-size.ts";
import { envelopeBytes, readRequestMessage } from "./read-request.ts";
import { type DeadlineServer, deadlineLeftMs, extractDeadline, malformedDeadline } from "./rpc-deadline.ts";
import { dispatchRpc } from "./rpc-dispatch.ts";
import type { RpcLimit } from "./rpc-limit.ts";
import { buildRpcHandlers } from "./rpc-router.ts";
import {
  type CompletedRpc,
  RpcServerCall,
  type RpcServerCallOptions,
  rpcGuardInterceptor,
  rpcServerCallKey,
} from "./server-call.ts";
import { streamedBody } from "./streamed-body.ts";
import { singleChunkBody, universalRequest } from "./universal-request.ts";
import { streamRpcResponse, writeRpcResponse } from "./write-response.ts";

export type RpcServerOptions = {
  readonly clock: Clock;
  /** Id of this process, by which calls name it. Default: none, and then no deadline on its monotonic clock counts. */
  readonly instance?: string | undefined;
  /** Registers the services; any other path is answered with HTTP 404. */
  readonly mount: (router: ConnectRouter) => void;
  /** Access control, run before the body is read; throws a ConnectError to refuse the call. */
  readonly gate?: (context: HandlerContext) => void | Promise<void>;
  readonly interceptors?: readonly Interceptor[];
  /** Limit of every path that is not in `limits`. */
  readonly limit: RpcLimit;
  readonly limits?: ReadonlyMap<string, RpcLimit>;
  /** Paths whose requests in JSON are never refused: what cannot be read of them is left out. Default: none. */
  readonly lenientPaths?: ReadonlySet<string>;
  /** Called once for each call whose headers were read, when it ends. */
  readonly onComplete?: (ended: CompletedRpc) => void;
};

/** Address of a caller, and what it addressed. */
type RpcCaller = Pick<RpcServerCallOptions, "peer" | "hosts" | "https"> & {
  /** Time for which the request waited for its turn, ms. */
  readonly waitedMs: number;
};

/** Serves RPCs by Connect, gRPC and gRPC-Web over HTTP/1.1 and HTTP/2 alike. */
export function rpcHandler(options: RpcServerOptions) {
  const { limit, limits } = options;
  const limitOf = (path: string): RpcLimit => limits?.get(path) ?? limit;
  const onComplete = (completed: CompletedRpc): void => options.onComplete?.(completed);
  const handlers = buildRpcHandlers(options.mount, {
    interceptors: [rpcGuardInterceptor, ...(options.interceptors ?? [])],
    maxBytesOf: (path) => limitOf(path).maxBytes,
    lenientPaths: options.lenientPaths ?? new Set(),
    async requestGate(context) {
      context.values.get(rpcServerCallKey)?.track(context, options.clock, onComplete);
      const malformed = malformedDeadline(context.requestHeader);
      if (malformed !== undefined) throw new ConnectError(`${malformed}: must be a number of ms`, Code.InvalidArgument);
      if (context.requestMethod === "GET" && !hasReadableMessage(new URL(context.url).searchParams))
        throw new ConnectError("the parameter message is not base64", Code.InvalidArgument);
      await options.gate?.(context);
    },
  });
  const server: DeadlineServer = { clock: options.clock, instance: options.instance ?? "" };
  const streams = new SlotTable<RpcServerCall>();
  return {
    /** Ends all streaming calls as `unavailable`, because they would otherwise last until their deadline. */
    endStreams() {
      for (const call of streams) call.serverStopping();
    },
    /** The limit of the RPC at `path`; undefined when no RPC has that path. */
    limitOf: (path: string) => (handlers.has(path) ? limitOf(path) : undefined),
    /** True when the RPC at `path` streams its requests or responses. */
    isStreaming: (path: string) => isStreamingRpc(handlers.get(path)),
    /** Answers one request to a `path` for which `limitOf` returns a limit. Never rejects. */
    async handle(path: string, exchange: HttpExchange, caller: RpcCaller) {
      const handler = handlers.get(path);
      if (handler !== undefined) await handleRequest(handler, limitOf(path), { ...exchange, caller, streams, server });
    },
    /** Answers an RPC that arrived by another transport than the port, in the same way. Never rejects. */
    dispatch: (call: DispatchedRequest) =>
      dispatchRpc(handlers.get(call.path), limitOf(call.path), {
        ...call,
        timeoutMs: Math.min(call.timeoutMs, deadlineLeftMs(new Headers(call.headers), server)),
      }),
  };
}

/** True unless the message of a call by GET is not the base64 that it is declared to be. */
const hasReadableMessage = (query: URLSearchParams): boolean =>
  query.get("base64") !== "1" || /^[\w+/-]*={0,2}$/.test(query.get("message") ?? "");

const isStreamingRpc = (handler: UniversalHandler | undefined): boolean =>
  handler !== undefined && handler.method.methodKind !== "unary";

type RpcExchange = HttpExchange & {
  readonly caller: RpcCaller;
  readonly server: DeadlineServer;
  /** Calls in progress that stream requests or responses. */
  readonly streams: SlotTable<RpcServerCall>;
};

async function handleRequest(handler: UniversalHandler, limit: RpcLimit, exchange: RpcExchange): Promise<void> {
  const { request, response, admitted, caller, server, streams } = exchange;
  let body: Uint8Array = new Uint8Array();
  try {
    const header = headersOf(request);
    const encoding = takeEncoding(header);
    const sentLimitMs = extractDeadline(header, limit.deadlineMs) - caller.waitedMs;
    const pass = (): void => admitted.pass();
    const call = new RpcServerCall({
      ...caller,
      pass,
      timeoutMs: Math.min(sentLimitMs, deadlineLeftMs(header, server)),
    });
    response.once("close", () => call.callerDisconnected());
    const isStream = isStreamingRpc(handler);
    if (isStream) {
      const slot = streams.add(call);
      response.once("close", () => streams.remove(slot));
    }
    const result = await handler(
      universalRequest({
        httpVersion: request.httpVersion,
        method: request.method ?? "",
        url: `http://localhost${handler.requestPath}${queryOf(request)}`,
        header,
        body: isStream
          ? streamedBody(request, call)
          : singleChunkBody(async () => {
              body = await readRequestMessage(request, { maxBytes: limit.maxBytes, call, admitted, encoding });
              const contentType = header.get("content-type") ?? "";
              refuseTooManyValues({
                message: contentType.startsWith("application/grpc") ? body.subarray(envelopeBytes) : body,
                isJson: contentType.includes("json"),
                type: handler.method.input,
                entries: limit.entries,
              });
              return body;
            }),
        contextValues: createContextValues().set(rpcServerCallKey, call),
      }),
    );
    if (result.status === 405) response.setHeader("allow", handler.allowedMethods.join(", "));
    await (isStream ? streamRpcResponse(result, exchange) : writeRpcResponse(result, exchange));
  } catch {
    response.destroy();
  } finally {
    // The message was decoded, and has no part of the body.
    freeGrown(body);
  }
}

/**
 * Returns the compression of a request and removes its header, because the message is decompressed before the library
 * gets it. For gRPC the header stays: the envelope has a flag of its own.
 */
function takeEncoding(header: Headers): Encoding | undefined {
  if (header.get("content-type")?.startsWith("application/grpc")) return encodingOf(header.get("grpc-encoding"));
  const encoding = encodingOf(header.get("content-encoding"));
  if (encoding !== undefined) header.delete("content-encoding");
  return encoding;
}

/** Query of a request with its question mark; a call by GET has its message there. Empty for other methods. */
function queryOf(request: HttpRequest): string {
  const at = request.method === "GET" ? (request.url ?? "").indexOf("?") : -1;
  return at < 0 ? "" : (request.url ?? "").slice(at);
}

/** Headers that are not passed on to an RPC. `content-length` is checked against the limit when the body is read. */
const transportHeaders: ReadonlySet<string> = new Set(["content-length", "host", "connection", "keep-alive"]);

function headersOf(request: HttpRequest): Headers {
  const header = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (value === undefined || name.startsWith(":") || transportHeaders.has(name)) continue;
    for (const one of Array.isArray(value) ? value : [value]) header.append(name, one);
  }
  return header;
}
