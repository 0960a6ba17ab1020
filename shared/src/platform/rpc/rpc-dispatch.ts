import { createContextValues } from "@connectrpc/connect";
import type { UniversalHandler, UniversalServerResponse } from "@connectrpc/connect/protocol";
import { documentChangeHeader } from "../../config/diff/document-change.ts";
import { matchedObjectsHeader } from "../../model/idempotency-key.ts";
import type { DispatchedResponse } from "../../wire/nats/nats-rpc.ts";
import { type DispatchedRequest, refusedDispatch } from "./dispatched-rpc.ts";
import { refuseTooManyValues } from "./message-size.ts";
import { requestTooLarge } from "./request-limits.ts";
import type { RpcLimit } from "./rpc-limit.ts";
import { RpcServerCall, rpcServerCallKey } from "./server-call.ts";
import { singleChunkBody, universalRequest } from "./universal-request.ts";
import { readResponseBody } from "./write-response.ts";

type ErrorJson = { code?: string; message?: string; details?: { type?: string; value?: string }[] };

/**
 * Passes an RPC to the handler that the port would use, so that access control, limits, logs and metrics are the same.
 * Uses Connect's unary protocol, the simplest of the three. Never rejects.
 */
export async function dispatchRpc(
  handler: UniversalHandler | undefined,
  limit: RpcLimit,
  request: DispatchedRequest,
): Promise<DispatchedResponse> {
  if (handler === undefined) return refusedDispatch("unimplemented", `${request.path.slice(1)} is not served here`);
  if (request.body.length > limit.maxBytes)
    return refusedDispatch("resource_exhausted", requestTooLarge(limit.maxBytes).rawMessage);
  const header = new Headers({
    ...request.headers,
    "content-type": "application/proto",
    "connect-protocol-version": "1",
  });
  const timeoutMs = Math.min(request.timeoutMs, limit.deadlineMs);
  try {
    const response = await handler(
      universalRequest({
        httpVersion: "2.0",
        method: "POST",
        url: `http://localhost${request.path}`,
        header,
        body: singleChunkBody(async () => {
          refuseTooManyValues({
            message: request.body,
            isJson: false,
            type: handler.method.input,
            entries: limit.entries,
          });
          return request.body;
        }),
        contextValues: createContextValues().set(
          rpcServerCallKey,
          new RpcServerCall({ peer: request.peer, timeoutMs }),
        ),
      }),
    );
    return await readUnaryResponse(response);
  } catch {
    return refusedDispatch("internal", "internal error");
  }
}

async function readUnaryResponse(response: UniversalServerResponse): Promise<DispatchedResponse> {
  const bytes = await readResponseBody(response);
  const matched = response.header?.get(matchedObjectsHeader) ?? undefined;
  const counted = matched === undefined ? {} : { matched: Number(matched) };
  const documentChange = response.header?.get(documentChangeHeader) ?? undefined;
  const reported = { ...counted, ...(documentChange !== undefined && { documentChange }) };
  if (response.status === 200) return { code: "ok", message: "", details: [], body: bytes, ...reported };
  const { code = "unknown", message = "", details = [] } = JSON.parse(Buffer.from(bytes).toString()) as ErrorJson;
  return {
    ...refusedDispatch(code, message),
    details: details.map(({ type = "", value = "" }) => ({
      type,
      value: new Uint8Array(Buffer.from(value, "base64")),
    })),
  };
}
