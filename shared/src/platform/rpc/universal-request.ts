import type { UniversalServerRequest } from "@connectrpc/connect/protocol";

/**
 * A request as the handlers of all protocols take it. Without a signal: the call itself ends its context. Only the type
 * asks for one, and three signals that listen to each other cost a call more than to parse its message.
 */
export const universalRequest = (request: Omit<UniversalServerRequest, "signal">): UniversalServerRequest =>
  request as UniversalServerRequest;

/** No RPC streams its requests, so that a body is one chunk; it is read when it is asked for, after the gate. */
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
