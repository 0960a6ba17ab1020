import { createBrotliDecompress, createGunzip } from "node:zlib";
import { Code, ConnectError } from "@connectrpc/connect";
import type { ByteShare } from "../admission/byte-budget.ts";
import { requestTooLarge, tooManyBodies } from "./request-limits.ts";

const decoders = { gzip: createGunzip, br: createBrotliDecompress } as const;
/** Name of a compression that requests may use. */
export type Encoding = keyof typeof decoders;

/** The compression that a header names; undefined for none and for one that is not supported. */
export const encodingOf = (header: string | null | undefined): Encoding | undefined =>
  header === "gzip" || header === "br" ? header : undefined;

/**
 * Decompresses a message. Its bytes count towards the budget as they are made, so that many bombs at a time take no more
 * memory than one; the compressed bytes then count no longer.
 *
 * @returns rejects with a ConnectError: `resource_exhausted` above `maxBytes` or the budget, else `invalid_argument`
 */
export function decompress(
  bytes: Uint8Array,
  encoding: Encoding,
  { maxBytes, share }: { readonly maxBytes: number; readonly share: ByteShare },
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const decoder = decoders[encoding]({ chunkSize: 65_536 });
    const chunks: Buffer[] = [];
    let length = 0;
    const fail = (error: ConnectError): void => {
      decoder.destroy();
      reject(error);
    };
    decoder.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length > maxBytes) return fail(requestTooLarge(maxBytes));
      if (!share.take(chunk.length)) return fail(tooManyBodies());
      chunks.push(chunk);
    });
    decoder.on("error", () =>
      fail(new ConnectError(`the request is not valid ${encoding} data`, Code.InvalidArgument)),
    );
    decoder.on("end", () => {
      share.giveBack(bytes.length);
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks));
    });
    decoder.end(bytes);
  });
}
