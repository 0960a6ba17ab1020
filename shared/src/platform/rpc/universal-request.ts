import type { UniversalServerRequest } from "@connectrpc/connect/protocol";

/**
 * Builds the request that the handlers of all protocols accept. The required `signal` is omitted: `RpcServerCall` ends
 * the context itself, and the library's three chained signals cost more than parsing the message.
 */
export const universalRequest = (request: Omit<UniversalServerRequest, "signal">): UniversalServerRequest =>
  request as UniversalServerRequest;

/** Body as one chunk, since no RPC streams its requests. `read` is called on first use, after access control. */
export function singleChunkBody(read: () => Promise<Uint8Array>): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => new SingleChunkIterator(read) };
}

class SingleChunkIterator implements AsyncIterator<Uint8Array> {
  #read: (() => Promise<Uint8Array>) | undefined;

  constructor(read: () => Promise<Uint8Array>) {
    this.#read = read;
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    const read = this.#read;
    this.#read = undefined;
    return read === undefined ? { done: true, value: undefined } : { done: false, value: await read() };
  }
}
