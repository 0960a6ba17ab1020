import type { IncomingMessage } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import { Code, ConnectError } from "@connectrpc/connect";
import type { RpcServerCall } from "./server-call.ts";

/** Of the buffer that takes over where one chunk is not the whole body. */
const secondCapacity = 16_384;
/** gRPC's envelope, which does not count as message: a byte of flags and four that say how long the message is. */
const envelopeBytes = 5;

/**
 * Reads the one message of a request, in gRPC with its envelope, until the call is ended. Judges its size before the
 * library does, whose words are about its own options: a larger one is `resource_exhausted`, and so is at once what
 * `content-length` announces. Rejects with a ConnectError.
 */
export function readRequestMessage(
  request: IncomingMessage | Http2ServerRequest,
  maxBytes: number,
  call: RpcServerCall,
): Promise<Uint8Array> {
  const grpc = request.headers["content-type"]?.startsWith("application/grpc") ?? false;
  return grpc ? readEnvelope(request, maxBytes, call) : readBody(request, { maxBytes, framingBytes: 0, call });
}

async function readEnvelope(
  request: IncomingMessage | Http2ServerRequest,
  maxBytes: number,
  call: RpcServerCall,
): Promise<Uint8Array> {
  const body = await readBody(request, { maxBytes, framingBytes: envelopeBytes, call });
  const announced = body.length < envelopeBytes ? 0 : new DataView(body.buffer, body.byteOffset).getUint32(1);
  if (announced > maxBytes) throw requestTooLarge(maxBytes);
  return body;
}

type BodyLimits = { readonly maxBytes: number; readonly framingBytes: number; readonly call: RpcServerCall };

/**
 * Reads a request's whole body into one buffer. The buffer grows with what has arrived, never with what was
 * announced, and holds no list of chunks, so that a body of a million tiny chunks costs its bytes and no more.
 * Rejects with a ConnectError; what is left unread then stays unread.
 */
function readBody(
  request: IncomingMessage | Http2ServerRequest,
  { maxBytes, framingBytes, call }: BodyLimits,
): Promise<Uint8Array> {
  const mostBytes = maxBytes + framingBytes;
  return new Promise((resolve, reject) => {
    const announced = Number(request.headers["content-length"] ?? Number.NaN);
    if (announced > mostBytes) return reject(requestTooLarge(maxBytes));
    let buffer: Uint8Array<ArrayBufferLike> = new Uint8Array();
    let length = 0;
    request.on("data", append);
    request.on("end", finish);
    request.on("error", abandon);
    request.on("close", abandon);
    call.onAbort(fail);

    function append(chunk: Buffer): void {
      const needed = length + chunk.length;
      if (needed > mostBytes) return fail(requestTooLarge(maxBytes));
      // Mostly the first chunk is the whole body.
      if (length === 0) buffer = chunk;
      else {
        if (needed > buffer.length)
          buffer = enlarged(buffer, Math.min(mostBytes, Math.max(buffer.length * 2, needed, secondCapacity)));
        buffer.set(chunk, length);
      }
      length = needed;
    }
    function finish(): void {
      release();
      resolve(buffer.subarray(0, length));
    }
    function abandon(): void {
      fail(new ConnectError("the request ended before its body", Code.Canceled));
    }
    function fail(error: unknown): void {
      release();
      request.pause();
      reject(error);
    }
    function release(): void {
      request.off("data", append);
      request.off("end", finish);
      request.off("error", abandon);
      request.off("close", abandon);
    }
  });
}

function enlarged(buffer: Uint8Array<ArrayBufferLike>, capacity: number): Uint8Array<ArrayBufferLike> {
  const larger = new Uint8Array(capacity);
  larger.set(buffer);
  return larger;
}

/** What a caller hears whose request is too large, whichever way that comes to light. */
export const requestTooLarge = (maxBytes: number): ConnectError =>
  new ConnectError(`the request is larger than ${maxBytes} bytes`, Code.ResourceExhausted);
