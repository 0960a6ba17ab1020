import type { ServerResponse } from "node:http";
import type { UniversalServerResponse } from "@connectrpc/connect/protocol";
import type { HttpExchange, HttpResponse } from "../http/http-messages.ts";
import { securityHeaders } from "../http/security-headers.ts";
import { sendBody } from "../http/send-body.ts";

/** Alternating names and values, the form that `writeHead` processes fastest. */
const commonHeaders = Object.entries({ ...securityHeaders, "cache-control": "no-store" }).flat();

/** Reads the whole body of the response of a unary RPC. */
export async function readResponseBody({ body }: UniversalServerResponse): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body ?? []) chunks.push(chunk);
  const [first] = chunks;
  return chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
}

/** Writes the result of an RPC, headers and body at once. Rejects when reading the result's body rejects. */
export async function writeRpcResponse(
  result: UniversalServerResponse,
  { response, admitted }: HttpExchange,
): Promise<void> {
  // The trailers are complete only after the body was read.
  const body = await readResponseBody(result);
  // The request is answered, and its body is needed no longer.
  admitted.body.release();
  const head = commonHeaders.concat(...(result.header ?? []));
  (response as ServerResponse).writeHead(result.status, head);
  if (result.trailer) response.addTrailers(fittingTrailers(result.trailer));
  sendBody(response, body, admitted);
}

/** Writes the result of a streaming RPC, each part of the body as soon as it exists and the caller reads. */
export async function streamRpcResponse(
  result: UniversalServerResponse,
  { response, admitted }: HttpExchange,
): Promise<void> {
  (response as ServerResponse).writeHead(result.status, commonHeaders.concat(...(result.header ?? [])));
  for await (const chunk of result.body ?? []) {
    if (response.destroyed) return;
    admitted.wrote(chunk.length);
    if (!(response as ServerResponse).write(chunk, () => admitted.sent(chunk.length))) await drained(response);
  }
  if (result.trailer) response.addTrailers(fittingTrailers(result.trailer));
  response.end();
}

/** Maximum length of gRPC's message and of its details in trailers: clients end a call whose trailers exceed 16 KiB. */
const maxMessageLength = 6_000;
const maxDetailsLength = 8_000;

/** [PT18] Trailers in a size that clients accept: a longer message is cut, and details that are too long are left out. */
function fittingTrailers(trailer: Headers): Record<string, string> {
  const message = trailer.get("grpc-message") ?? "";
  // A cut must not divide an encoded byte or character.
  if (message.length > maxMessageLength)
    trailer.set("grpc-message", `${message.slice(0, maxMessageLength).replace(/(?:%[0-9A-F]{0,2})*$/i, "")}...`);
  if ((trailer.get("grpc-status-details-bin") ?? "").length > maxDetailsLength)
    trailer.delete("grpc-status-details-bin");
  return Object.fromEntries(trailer);
}

/** Resolves when the response takes more bytes or is closed. */
function drained(response: HttpResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off("drain", done);
      response.off("close", done);
      resolve();
    };
    response.on("drain", done);
    response.on("close", done);
  });
}
