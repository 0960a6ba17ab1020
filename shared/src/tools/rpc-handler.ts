import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import {
  Code,
  ConnectError,
  type ConnectRouter,
  createContextValues,
  type HandlerContext,
  type Interceptor,
} from "@connectrpc/connect";
import type { UniversalHandler } from "@connectrpc/connect/protocol";
import type { Clock } from "../words/clock.ts";
import { readMessage } from "./read-body.ts";
import { type EndedRpc, followCall, guardCall, type RpcCall, rpcCallKey } from "./rpc-call.ts";
import { boundDeadline } from "./rpc-deadline.ts";
import { type DispatchedAnswer, type DispatchedCall, dispatchCall } from "./rpc-dispatch.ts";
import { routeRpcs } from "./rpc-router.ts";
import { writeAnswer } from "./write-answer.ts";

export type HttpRequest = IncomingMessage | Http2ServerRequest;
export type HttpResponse = ServerResponse | Http2ServerResponse;

export type RpcLimit = { readonly maxBytes: number; readonly deadlineMs: number };

export type RpcOptions = {
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
  readonly onEnd?: (ended: EndedRpc) => void;
};

export type RpcHandler = {
  /** The limit of the RPC at `path`; undefined where there is none. */
  readonly limitOf: (path: string) => RpcLimit | undefined;
  /** Answers one request to `path`, which has a limit. Never rejects. */
  readonly answer: (path: string, request: HttpRequest, response: HttpResponse, peer: string) => Promise<void>;
  /** Answers a call that did not come through the port, the same way. Never rejects. */
  readonly dispatch: (call: DispatchedCall) => Promise<DispatchedAnswer>;
};

/** Serves RPCs by Connect, gRPC and gRPC-Web over HTTP/1.1 and HTTP/2 alike. */
export function rpcHandler(options: RpcOptions): RpcHandler {
  const { limit, limits } = options;
  const limitOf = (path: string): RpcLimit => limits?.get(path) ?? limit;
  const handlers = routeRpcs(options.mount, {
    interceptors: [guardCall, ...(options.interceptors ?? [])],
    maxDeadlineMs: Math.max(limit.deadlineMs, ...[...(limits?.values() ?? [])].map((l) => l.deadlineMs)),
    maxBytesOf: (path) => limitOf(path).maxBytes,
    async requestGate(context) {
      followCall(context, options.clock, (ended) => options.onEnd?.(ended));
      await options.gate?.(context);
    },
  });
  return {
    limitOf: (path) => (handlers.has(path) ? limitOf(path) : undefined),
    async answer(path, request, response, peer) {
      const handler = handlers.get(path);
      if (handler !== undefined) await serve(handler, limitOf(path), { request, response, peer });
    },
    dispatch: (call) => dispatchCall(handlers.get(call.path), limitOf(call.path), call),
  };
}

type Exchange = { readonly request: HttpRequest; readonly response: HttpResponse; readonly peer: string };

async function serve(handler: UniversalHandler, limit: RpcLimit, { request, response, peer }: Exchange): Promise<void> {
  const call: RpcCall = { peer, signal: undefined, reached: false };
  const gone = new AbortController();
  // Of a call that was answered in full there is nothing to cancel, and an error costs its stack. HTTP/2 says
  // finished of what was cut off, too: there it comes too late to change anything.
  response.once("close", () => {
    const answered = request.httpVersionMajor === 1 && response.writableFinished;
    if (!answered) gone.abort(new ConnectError("the caller went away", Code.Canceled));
  });
  try {
    const header = headersOf(request);
    boundDeadline(header, limit.deadlineMs);
    const answer = await handler({
      httpVersion: request.httpVersion,
      method: request.method ?? "",
      url: `http://localhost${handler.requestPath}`,
      header,
      body: wholeBody(() => readMessage(request, { ...limit, signal: call.signal ?? gone.signal })),
      signal: gone.signal,
      contextValues: createContextValues().set(rpcCallKey, call),
    });
    await writeAnswer(answer, response);
  } catch {
    response.destroy();
  }
}

/** No RPC streams its requests, so that a body is one chunk; it is read when it is asked for, after the gate. */
async function* wholeBody(read: () => Promise<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield await read();
}

function headersOf(request: HttpRequest): Headers {
  const header = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    // The body is read and measured here; what was announced of it has been judged by then.
    if (value === undefined || name.startsWith(":") || name === "content-length") continue;
    for (const one of Array.isArray(value) ? value : [value]) header.append(name, one);
  }
  return header;
}
