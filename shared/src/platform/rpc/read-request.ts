import type { IncomingMessage } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import { Code, ConnectError } from "@connectrpc/connect";
import type { AdmittedRequest } from "../admission/admission.ts";
import { decompress, type Encoding } from "./decompress.ts";
import { freeGrown, GrowingBuffer } from "./growing-buffer.ts";
import { requestTooLarge, tooManyBodies } from "./request-limits.ts";
import type { RpcServerCall } from "./server-call.ts";

/** Size of gRPC's envelope, which does not count towards the limit: one byte of flags and four of length. */
export const envelopeBytes = 5;
/** Size from which on a message waits for its turn, because decoding it takes some ms, bytes. */
const largeMessageBytes = 262_144;
/** Flag of an envelope whose message is compressed. */
const compressedFlag = 1;

type ReadRequestOptions = {
  /** Maximum size of the message, compressed or not, bytes. */
  readonly maxBytes: number;
  readonly call: Pick<RpcServerCall, "onAbort">;
  /** Budget of the body, and turns in which large messages are decoded. */
  readonly admitted: Pick<AdmittedRequest, "body" | "nextTurn">;
  /** Compression of the body, for gRPC of its message. Undefined for none, or one that the library refuses. */
  readonly encoding: Encoding | undefined;
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
  if (message.length >= largeMessageBytes) await decodingTurn(options);
  return message;
}

/** Waits for a turn to decode the message. Rejects when the call has ended in the meantime. */
async function decodingTurn({ call, admitted }: ReadRequestOptions): Promise<void> {
  let ended: unknown;
  call.onAbort((reason) => {
    ended = reason;
  });
  if (!(await admitted.nextTurn())) throw goneCaller();
  if (ended !== undefined) throw ended;
}

async function readPlainBody(
  request: IncomingMessage | Http2ServerRequest,
  options: ReadRequestOptions,
): Promise<Uint8Array> {
  const body = await readBody(request, { ...options, framingBytes: 0 });
  if (options.encoding === undefined) return body;
  return decompress(body, options.encoding, decompressLimits(options)).finally(() => freeGrown(body));
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
  return inEnvelope(await decompress(body.subarray(envelopeBytes), encoding, decompressLimits(options)));
}

function inEnvelope(message: Uint8Array): Uint8Array {
  const framed = new Uint8Array(envelopeBytes + message.length);
  new DataView(framed.buffer).setUint32(1, message.length);
  framed.set(message, envelopeBytes);
  return framed;
}

const decompressLimits = ({ maxBytes, admitted }: ReadRequestOptions) => ({ maxBytes, share: admitted.body });

const goneCaller = (): ConnectError => new ConnectError("the request ended before its body", Code.Canceled);

type BodyLimits = Omit<ReadRequestOptions, "encoding"> & { readonly framingBytes: number };

/**
 * Reads a request's whole body into one buffer, which grows with the bytes received and not with the announced length.
 * Rejects with a ConnectError; the rest of the body then stays unread.
 */
function readBody(
  request: IncomingMessage | Http2ServerRequest,
  { maxBytes, framingBytes, call, admitted }: BodyLimits,
): Promise<Uint8Array> {
  const maxTotalBytes = maxBytes + framingBytes;
  return new Promise((resolve, reject) => {
    const announced = Number(request.headers["content-length"] ?? Number.NaN);
    if (announced > maxTotalBytes) return reject(requestTooLarge(maxBytes));
    const buffer = new GrowingBuffer(Number.isNaN(announced) ? maxTotalBytes : announced);
    let isWhole = false;
    request.on("data", append);
    request.on("end", finish);
    request.on("error", abandon);
    request.on("close", abandon);
    call.onAbort(fail);

    function append(chunk: Buffer): void {
      if (buffer.length + chunk.length > maxTotalBytes) return fail(requestTooLarge(maxBytes));
      if (!admitted.body.take(buffer.capacityWith(chunk.length) - buffer.capacity)) return fail(tooManyBodies());
      try {
        buffer.append(chunk);
      } catch {
        fail(tooManyBodies());
      }
    }
    function finish(): void {
      isWhole = true;
      release();
      resolve(buffer.bytes());
    }
    function abandon(): void {
      fail(goneCaller());
    }
    function fail(error: unknown): void {
      release();
      request.pause();
      if (!isWhole) buffer.free();
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
