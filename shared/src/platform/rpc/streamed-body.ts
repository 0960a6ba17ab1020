import type { HttpRequest } from "../http/http-messages.ts";
import type { RpcServerCall } from "./server-call.ts";

/**
 * Body of an RPC that streams its requests, chunk by chunk as the caller sends them. Rejects when the call ends before
 * its body, because a caller that keeps the stream open sends no further chunk.
 */
export async function* streamedBody(request: HttpRequest, call: RpcServerCall): AsyncGenerator<Uint8Array, undefined> {
  const ended = Promise.withResolvers<never>();
  ended.promise.catch(() => {});
  call.onAbort(ended.reject);
  const chunks = (request as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  for (;;) {
    const chunk = await Promise.race([chunks.next(), ended.promise]);
    if (chunk.done === true) return undefined;
    yield chunk.value;
  }
}
