import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import { type ConnectRouter, createContextValues, type HandlerContext, type Interceptor } from "@connectrpc/connect";
import type { UniversalHandler } from "@connectrpc/connect/protocol";
import type { Clock } from "../../model/clock.ts";
import { readRequestMessage } from "./read-request.ts";
import { type CompletedRpc, rpcGuardInterceptor, RpcServerCall, rpcServerCallKey } from "./server-call.ts";
import { extractDeadline } from "./rpc-deadline.ts";
import { type DispatchedResponse, type DispatchedRequest, dispatchRpc } from "./rpc-dispatch.ts";
import { buildRpcHandlers } from "./rpc-router.ts";
import { singleChunkBody, universalRequest } from "./universal-request.ts";
import { writeRpcResponse } from "./write-response.ts";

export type HttpRequest = IncomingMessage | Http2ServerRequest;
export type HttpResponse = ServerResponse | Http2ServerResponse;

export type RpcLimit = { readonly maxBytes: number; readonly deadlineMs: number };

export type RpcServerOptions = {
  readonly clock: Clock;
  /** Registers what is served; what is not registered answers HTTP 404. */
  readonly mount: (router: ConnectRouter) => void;
  /** Runs before a byte of the body is read; throws a ConnectError to refuse. */
  readonly gate?: (context: HandlerContext) => void | Promise<void>;
  readonly interceptors?: readonly Interceptor[];
  /** For every path but those of `limits`. */
  readonly limit: RpcLimit;
  readonly limits?: ReadonlyMap<string, RpcLimit>;
  /** Told of each call that passed as far as its headers, once, when it ends. */
  readonly onComplete?: (ended: CompletedRpc) => void;
};

export type RpcHandler = {
  /** The limit of the RPC at `path`; undefined where there is none. */
  readonly limitOf: (path: string) => RpcLimit | undefined;
  /** Answers one request to `path`, which has a limit. Never rejects. */
  readonly handle: (path: string, request: HttpRequest, response: HttpResponse, peer: string) => Promise<void>;
  /** Answers a call that did not come through the port, the same way. Never rejects. */
  readonly dispatch: (call: DispatchedRequest) => Promise<DispatchedResponse>;
};

/** Serves RPCs by Connect, gRPC and gRPC-Web over HTTP/1.1 and HTTP/2 alike. */
export function rpcHandler(options: RpcServerOptions): RpcHandler {
  const { limit, limits } = options;
  const limitOf = (path: string): RpcLimit => limits?.get(path) ?? limit;
  const tell = (ended: CompletedRpc): void => options.onComplete?.(ended);
  const handlers = buildRpcHandlers(options.mount, {
    interceptors: [rpcGuardInterceptor, ...(options.interceptors ?? [])],
    maxBytesOf: (path) => limitOf(path).maxBytes,
    async requestGate(context) {
      context.values.get(rpcServerCallKey)?.track(context, options.clock, tell);
      await options.gate?.(context);
    },
  });
  return {
    limitOf: (path) => (handlers.has(path) ? limitOf(path) : undefined),
    async handle(path, request, response, peer) {
      const handler = handlers.get(path);
      if (handler !== undefined) await handleRequest(handler, limitOf(path), { request, response, peer });
    },
    dispatch: (call) => dispatchRpc(handlers.get(call.path), limitOf(call.path), call),
  };
}

type HttpExchange = { readonly request: HttpRequest; readonly response: HttpResponse; readonly peer: string };

async function handleRequest(handler: UniversalHandler, limit: RpcLimit, { request, response, peer }: HttpExchange): Promise<void> {
  try {
    const header = headersOf(request);
    const call = new RpcServerCall({ peer, timeoutMs: extractDeadline(header, limit.deadlineMs) });
    response.once("close", () => call.callerDisconnected());
    const answer = await handler(
      universalRequest({
        httpVersion: request.httpVersion,
        method: request.method ?? "",
        url: `http://localhost${handler.requestPath}`,
        header,
        body: singleChunkBody(() => readRequestMessage(request, limit.maxBytes, call)),
        contextValues: createContextValues().set(rpcServerCallKey, call),
      }),
    );
    await writeRpcResponse(answer, response);
  } catch {
    response.destroy();
  }
}

/**
 * Headers that say nothing to an RPC. The body is read and measured here: what was announced of it has been judged by
 * then.
 */
const transport: ReadonlySet<string> = new Set(["content-length", "host", "connection", "keep-alive"]);

function headersOf(request: HttpRequest): Headers {
  const header = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (value === undefined || name.startsWith(":") || transport.has(name)) continue;
    for (const one of Array.isArray(value) ? value : [value]) header.append(name, one);
  }
  return header;
}
