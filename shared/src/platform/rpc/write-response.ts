import type { ServerResponse } from "node:http";
import type { Http2ServerResponse } from "node:http2";
import type { UniversalServerResponse } from "@connectrpc/connect/protocol";
import { securityHeaders } from "../http/security-headers.ts";

/** Alternating names and values, the form that `writeHead` processes fastest. */
const commonHeaders = Object.entries({ ...securityHeaders, "cache-control": "no-store" }).flat();

/** Reads the whole body of a response; no RPC streams its responses. */
export async function readResponseBody({ body }: UniversalServerResponse): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body ?? []) chunks.push(chunk);
  const [first] = chunks;
  return chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
}

/** Writes the result of an RPC, headers and body at once. Rejects when reading the result's body rejects. */
export async function writeRpcResponse(
  result: UniversalServerResponse,
  response: ServerResponse | Http2ServerResponse,
): Promise<void> {
  // The trailers are complete only after the body was read.
  const body = await readResponseBody(result);
  const head = commonHeaders.concat(...(result.header ?? []));
  (response as ServerResponse).writeHead(result.status, head);
  if (result.trailer) response.addTrailers(Object.fromEntries(result.trailer));
  response.end(body);
}
