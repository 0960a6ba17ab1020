import type { ServerResponse } from "node:http";
import type { Http2ServerResponse } from "node:http2";
import type { UniversalServerResponse } from "@connectrpc/connect/protocol";
import { securityHeaders } from "../http/security-headers.ts";

/** Names and values in turns, the form that costs a response least. */
const commonHeaders = Object.entries({ ...securityHeaders, "cache-control": "no-store" }).flat();

/** The whole body of an answer: no RPC streams its responses. */
export async function readResponseBody({ body }: UniversalServerResponse): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body ?? []) chunks.push(chunk);
  const [first] = chunks;
  return chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
}

/** Writes an RPC's answer, head and body at once. Rejects where the answer's body does. */
export async function writeRpcResponse(
  answer: UniversalServerResponse,
  response: ServerResponse | Http2ServerResponse,
): Promise<void> {
  // The trailers are known when the body is.
  const body = await readResponseBody(answer);
  const head = commonHeaders.concat(...(answer.header ?? []));
  (response as ServerResponse).writeHead(answer.status, head);
  if (answer.trailer) response.addTrailers(Object.fromEntries(answer.trailer));
  response.end(body);
}
