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
import type { HttpRequest, HttpResponse } from "../http/http-messages.ts";
import { readRequestMessage } from "./read-request.ts";
import { deadlineHeader, deadlineInstantMs, extractDeadline } from "./rpc-deadline.ts";
import { type DispatchedRequest, type DispatchedResponse, dispatchRpc } from "./rpc-dispatch.ts";
import type { RpcLimit } from "./rpc-limit.ts";
import { buildRpcHandlers } from "./rpc-router.ts";
import { type CompletedRpc, RpcServerCall, rpcGuardInterceptor, rpcServerCallKey } from "./server-call.ts";
import { singleChunkBody, universalRequest } from "./universal-request.ts";
import { writeRpcResponse } from "./write-response.ts";

export type RpcServerOptions = {
  readonly clock: Clock;
  /** Registers the services; any other path is answered with HTTP 404. */
  readonly mount: (router: ConnectRouter) => void;
  /** Access control, run before the body is read; throws a ConnectError to refuse the call. */
  readonly gate?: (context: HandlerContext) => void | Promise<void>;
  readonly interceptors?: readonly Interceptor[];
  /** Limit of every path that is not in `limits`. */
  readonly limit: RpcLimit;
  readonly limits?: ReadonlyMap<string, RpcLimit>;
  /** Called once for each call whose headers were read, when it ends. */
  readonly onComplete?: (ended: CompletedRpc) => void;
};

export type RpcHandler = {
  /** The limit of the RPC at `path`; undefined when no RPC has that path. */
  readonly limitOf: (path: string) => RpcLimit | undefined;
  /** Answers one request to a `path` for which `limitOf` returns a limit. Never rejects. */
  readonly handle: (path: string, request: HttpRequest, response: HttpResponse, peer: string) => Promise<void>;
  /** Answers an RPC that arrived by another transport than the port, in the same way. Never rejects. */
  readonly dispatch: (call: DispatchedRequest) => Promise<DispatchedResponse>;
};

/** Serves RPCs by Connect, gRPC and gRPC-Web over HTTP/1.1 and HTTP/2 alike. */
export function rpcHandler(options: RpcServerOptions): RpcHandler {
  const { limit, limits } = options;
  const limitOf = (path: string): RpcLimit => limits?.get(path) ?? limit;
  const onComplete = (completed: CompletedRpc): void => options.onComplete?.(completed);
  const handlers = buildRpcHandlers(options.mount, {
    interceptors: [rpcGuardInterceptor, ...(options.interceptors ?? [])],
    maxBytesOf: (path) => limitOf(path).maxBytes,
    async requestGate(context) {
      context.values.get(rpcServerCallKey)?.track(context, options.clock, onComplete);
      if (Number.isNaN(deadlineInstantMs(context.requestHeader, 0)))
        throw new ConnectError(`${deadlineHeader}: must be a Unix time in ms`, Code.InvalidArgument);
      await options.gate?.(context);
    },
  });
  return {
    limitOf: (path) => (handlers.has(path) ? limitOf(path) : undefined),
    async handle(path, request, response, peer) {
      const handler = handlers.get(path);
      if (handler !== undefined)
        await handleRequest(handler, limitOf(path), { request, response, peer, nowMs: options.clock.now() });
    },
    dispatch: (call) =>
      dispatchRpc(handlers.get(call.path), limitOf(call.path), {
        ...call,
        timeoutMs: earlier(call.timeoutMs, deadlineInstantMs(new Headers(call.headers), options.clock.now())),
      }),
  };
}

/** Returns the smaller of two times; a malformed second one is refused by the gate. */
const earlier = (ms: number, instantMs: number): number => (Number.isNaN(instantMs) ? ms : Math.min(ms, instantMs));

type HttpExchange = {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  readonly peer: string;
  readonly nowMs: number;
};

async function handleRequest(
  handler: UniversalHandler,
  limit: RpcLimit,
  { request, response, peer, nowMs }: HttpExchange,
): Promise<void> {
  try {
    const header = headersOf(request);
    const timeoutMs = earlier(extractDeadline(header, limit.deadlineMs), deadlineInstantMs(header, nowMs));
    const call = new RpcServerCall({ peer, timeoutMs });
    response.once("close", () => call.callerDisconnected());
    const result = await handler(
      universalRequest({
        httpVersion: request.httpVersion,
        method: request.method ?? "",
        url: `http://localhost${handler.requestPath}`,
        header,
        body: singleChunkBody(() => readRequestMessage(request, limit.maxBytes, call)),
        contextValues: createContextValues().set(rpcServerCallKey, call),
      }),
    );
    await writeRpcResponse(result, response);
  } catch {
    response.destroy();
  }
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
