import { createContextValues } from "@connectrpc/connect";
import type { UniversalHandler, UniversalServerResponse } from "@connectrpc/connect/protocol";
import { documentChangeHeader } from "../../config/diff/document-change.ts";
import { matchedObjectsHeader } from "../../model/idempotency-key.ts";
import { requestTooLarge } from "./request-limits.ts";
import type { RpcLimit } from "./rpc-limit.ts";
import { RpcServerCall, rpcServerCallKey } from "./server-call.ts";
import { singleChunkBody, universalRequest } from "./universal-request.ts";
import { readResponseBody } from "./write-response.ts";

/** RPC that arrived by another transport than the port, such as NATS. */
export type DispatchedRequest = {
  /** Path of the method: `/svc.v1.QueryService/ListStatus`. */
  readonly path: string;
  /** Headers of the call that the port would have received, such as `authorization` and `x-request-id`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Timeout set by the caller, ms; a call with 0 or less is not executed. */
  readonly timeoutMs: number;
  /** Identification of the caller in place of a network address. */
  readonly peer: string;
  /** The request message as protobuf. */
  readonly body: Uint8Array;
};

export type DispatchedResponse = {
  /** `ok` or the name of a Connect error code. */
  readonly code: string;
  readonly message: string;
  readonly details: readonly { readonly type: string; readonly value: Uint8Array }[];
  /** The response message as protobuf; empty unless the code is `ok`. */
  readonly body: Uint8Array;
  /** Number of objects that a command's target matched; undefined for other calls. */
  readonly matched?: number;
  /** Header `x-realmwatch-document-change`; undefined for other calls than ApplyConfig. */
  readonly documentChange?: string;
};

const refused = (code: string, message: string): DispatchedResponse => ({
  code,
  message,
  details: [],
  body: new Uint8Array(),
});

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
  if (handler === undefined) return refused("unimplemented", `${request.path.slice(1)} is not served here`);
  if (request.body.length > limit.maxBytes)
    return refused("resource_exhausted", requestTooLarge(limit.maxBytes).rawMessage);
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
        body: singleChunkBody(async () => request.body),
        contextValues: createContextValues().set(
          rpcServerCallKey,
          new RpcServerCall({ peer: request.peer, timeoutMs }),
        ),
      }),
    );
    return await readUnaryResponse(response);
  } catch {
    return refused("internal", "internal error");
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
    ...refused(code, message),
    details: details.map(({ type = "", value = "" }) => ({
      type,
      value: new Uint8Array(Buffer.from(value, "base64")),
    })),
  };
}
