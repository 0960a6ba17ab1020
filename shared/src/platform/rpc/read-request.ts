import type { IncomingMessage } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import { Code, ConnectError } from "@connectrpc/connect";
import type { BodyShare } from "./body-budget.ts";
import { decompress, type Encoding } from "./decompress.ts";
import { requestTooLarge, tooManyBodies } from "./request-limits.ts";
import type { RpcServerCall } from "./server-call.ts";
import type { TurnQueue } from "./turn-queue.ts";

/** Minimum capacity of the buffer when the body has more than one chunk, bytes. */
const minGrownCapacity = 16_384;
/** Size of gRPC's envelope, which does not count towards the limit: one byte of flags and four of length. */
const envelopeBytes = 5;
/** Size from which on a message waits for its turn, because decoding it takes some ms, bytes. */
const largeMessageBytes = 262_144;
/** Flag of an envelope whose message is compressed. */
const compressedFlag = 1;

type ReadRequestOptions = {
  /** Maximum size of the message, compressed or not, bytes. */
  readonly maxBytes: number;
  readonly call: Pick<RpcServerCall, "onAbort">;
  readonly share: BodyShare;
  /** Compression of the body, for gRPC of its message. Undefined for none, or one that the library refuses. */
  readonly encoding: Encoding | undefined;
  /** Turns in which large messages are decoded. */
  readonly turns: TurnQueue;
};

/**
 * Reads the single message of a request (for gRPC including its envelope) until the call ends, and decompresses it.
 * Checks the size before the library does, whose message would name its own options; a `content-length` above the limit
 * is refused at once.
 *
 * @returns rejects with a ConnectError, `resource_exhausted` when the message is too large or the budget is used up
 */
export async function readRequestMessage(
  request: IncomingMessage | Http2ServerRequest,
  options: ReadRequestOptions,
): Promise<Uint8Array> {
  const grpc = request.headers["content-type"]?.startsWith("application/grpc") ?? false;
  const message = await (grpc ? readEnvelope(request, options) : readPlainBody(request, options));
  if (message.length >= largeMessageBytes) await options.turns.next();
  return message;
}

async function readPlainBody(
  request: IncomingMessage | Http2ServerRequest,
  options: ReadRequestOptions,
): Promise<Uint8Array> {
  const body = await readBody(request, { ...options, framingBytes: 0 });
  return options.encoding === undefined ? body : decompress(body, options.encoding, options);
}

async function readEnvelope(
  request: IncomingMessage | Http2ServerRequest,
  options: ReadRequestOptions,
): Promise<Uint8Array> {
  const { maxBytes, encoding } = options;
  const body = await readBody(request, { ...options, framingBytes: envelopeBytes });
  const announced = body.length < envelopeBytes ? 0 : new DataView(body.buffer, body.byteOffset).getUint32(1);
  if (announced > maxBytes) throw requestTooLarge(maxBytes);
  // Anything else than one whole compressed message is left to the library, which refuses what is wrong with it.
  if (encoding === undefined || body[0] !== compressedFlag || body.length !== envelopeBytes + announced) return body;
  return inEnvelope(await decompress(body.subarray(envelopeBytes), encoding, options));
}

function inEnvelope(message: Uint8Array): Uint8Array {
  const framed = new Uint8Array(envelopeBytes + message.length);
  new DataView(framed.buffer).setUint32(1, message.length);
  framed.set(message, envelopeBytes);
  return framed;
}

type BodyLimits = Omit<ReadRequestOptions, "encoding" | "turns"> & { readonly framingBytes: number };

/**
 * Reads a request's whole body into one buffer. The buffer grows with the bytes received, not with the announced
 * length, and no list of chunks is kept, so memory stays proportional to the body even with a million tiny chunks.
 * Rejects with a ConnectError; the rest of the body then stays unread.
 */
function readBody(
  request: IncomingMessage | Http2ServerRequest,
  { maxBytes, framingBytes, call, share }: BodyLimits,
): Promise<Uint8Array> {
  const maxTotalBytes = maxBytes + framingBytes;
  return new Promise((resolve, reject) => {
    const announced = Number(request.headers["content-length"] ?? Number.NaN);
    if (announced > maxTotalBytes) return reject(requestTooLarge(maxBytes));
    let buffer: Uint8Array<ArrayBufferLike> = new Uint8Array();
    let length = 0;
    request.on("data", append);
    request.on("end", finish);
    request.on("error", abandon);
    request.on("close", abandon);
    call.onAbort(fail);

    function append(chunk: Buffer): void {
      const needed = length + chunk.length;
      if (needed > maxTotalBytes) return fail(requestTooLarge(maxBytes));
      if (!share.take(chunk.length)) return fail(tooManyBodies());
      // In most requests the first chunk is the whole body.
      if (length === 0) buffer = chunk;
      else {
        if (needed > buffer.length)
          buffer = enlarged(buffer, Math.min(maxTotalBytes, Math.max(buffer.length * 2, needed, minGrownCapacity)));
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
