import type { IncomingMessage } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import { Code, ConnectError } from "@connectrpc/connect";

const firstCapacity = 16_384;
/** gRPC's envelope, which does not count as message: a byte of flags and four that say how long the message is. */
const envelopeBytes = 5;

export type BodyLimits = {
  /** A larger message is `resource_exhausted`. What `content-length` announces is judged at once. */
  readonly maxBytes: number;
  /** Its abort ends the reading with its reason. */
  readonly signal: AbortSignal;
};

/**
 * Reads the one message of a request, in gRPC with its envelope. Judges its size before the library does, whose words
 * are about its own options. Rejects with a ConnectError.
 */
export async function readMessage(
  request: IncomingMessage | Http2ServerRequest,
  limits: BodyLimits,
): Promise<Uint8Array> {
  if (!request.headers["content-type"]?.startsWith("application/grpc")) return readBody(request, limits, 0);
  const body = await readBody(request, limits, envelopeBytes);
  const announced = body.length < envelopeBytes ? 0 : new DataView(body.buffer, body.byteOffset).getUint32(1);
  if (announced > limits.maxBytes) throw tooLarge(limits.maxBytes);
  return body;
}

/**
 * Reads a request's whole body into one buffer. The buffer grows with what has arrived, never with what was
 * announced, and holds no list of chunks, so that a body of a million tiny chunks costs its bytes and no more.
 * Rejects with a ConnectError; what is left unread then stays unread.
 */
function readBody(
  request: IncomingMessage | Http2ServerRequest,
  { maxBytes, signal }: BodyLimits,
  framingBytes: number,
): Promise<Uint8Array> {
  const mostBytes = maxBytes + framingBytes;
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const announced = Number(request.headers["content-length"] ?? Number.NaN);
    if (announced > mostBytes) return reject(tooLarge(maxBytes));
    let buffer = new Uint8Array(announced >= 0 ? Math.min(firstCapacity, announced) : firstCapacity);
    let length = 0;
    request.on("data", append);
    request.on("end", finish);
    request.on("error", abandon);
    request.on("close", abandon);
    signal.addEventListener("abort", expire);

    function append(chunk: Buffer): void {
      if (length + chunk.length > mostBytes) return fail(tooLarge(maxBytes));
      if (length + chunk.length > buffer.length) {
        const larger = new Uint8Array(Math.min(mostBytes, Math.max(buffer.length * 2, length + chunk.length)));
        larger.set(buffer.subarray(0, length));
        buffer = larger;
      }
      buffer.set(chunk, length);
      length += chunk.length;
    }
    function finish(): void {
      release();
      resolve(buffer.subarray(0, length));
    }
    function expire(): void {
      fail(signal.reason);
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
      signal.removeEventListener("abort", expire);
    }
  });
}

/** What a caller hears whose request is too large, whichever way that comes to light. */
export const tooLarge = (maxBytes: number): ConnectError =>
  new ConnectError(`the request is larger than ${maxBytes} bytes`, Code.ResourceExhausted);
