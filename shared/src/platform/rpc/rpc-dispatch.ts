import { createContextValues } from "@connectrpc/connect";
import type { UniversalHandler, UniversalServerResponse } from "@connectrpc/connect/protocol";
import { requestTooLarge } from "./read-request.ts";
import { RpcServerCall, rpcServerCallKey } from "./server-call.ts";
import type { RpcLimit } from "./rpc-handler.ts";
import { singleChunkBody, universalRequest } from "./universal-request.ts";
import { readResponseBody } from "./write-response.ts";

/** A call that came by another way than the port. */
export type DispatchedRequest = {
  /** `/svc.v1.QueryService/ListStatus` */
  readonly path: string;
  /** `authorization` and `x-request-id`, where there are any. */
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** What stands for the caller's address. */
  readonly peer: string;
  /** The request message as protobuf. */
  readonly body: Uint8Array;
};

export type DispatchedResponse = {
  /** `ok`, or the name of a Connect code. */
  readonly code: string;
  readonly message: string;
  readonly details: readonly { readonly type: string; readonly value: Uint8Array }[];
  /** The response message as protobuf; empty where the code is not `ok`. */
  readonly body: Uint8Array;
};

const refused = (code: string, message: string): DispatchedResponse => ({
  code,
  message,
  details: [],
  body: new Uint8Array(),
});

type ErrorJson = { code?: string; message?: string; details?: { type?: string; value?: string }[] };

/**
 * Hands a call to the handler that the port would hand it to, so that gate, limits, logs and metrics are
 * the same. Speaks Connect's unary protocol to it, the plainest of the three. Never rejects.
 */
export async function dispatchRpc(
  handler: UniversalHandler | undefined,
  limit: RpcLimit,
  call: DispatchedRequest,
): Promise<DispatchedResponse> {
  if (handler === undefined) return refused("unimplemented", `${call.path.slice(1)} is not served here`);
  if (call.body.length > limit.maxBytes) return refused("resource_exhausted", requestTooLarge(limit.maxBytes).rawMessage);
  const header = new Headers({
    ...call.headers,
    "content-type": "application/proto",
    "connect-protocol-version": "1",
  });
  const timeoutMs = Math.min(Math.max(1, call.timeoutMs), limit.deadlineMs);
  try {
    const response = await handler(
      universalRequest({
        httpVersion: "2.0",
        method: "POST",
        url: `http://localhost${call.path}`,
        header,
        body: singleChunkBody(async () => call.body),
        contextValues: createContextValues().set(rpcServerCallKey, new RpcServerCall({ peer: call.peer, timeoutMs })),
      }),
    );
    return await readUnaryResponse(response);
  } catch {
    return refused("internal", "internal error");
  }
}

async function readUnaryResponse(answer: UniversalServerResponse): Promise<DispatchedResponse> {
  const bytes = await readResponseBody(answer);
  if (answer.status === 200) return { code: "ok", message: "", details: [], body: bytes };
  const { code = "unknown", message = "", details = [] } = JSON.parse(Buffer.from(bytes).toString()) as ErrorJson;
  return {
    ...refused(code, message),
    details: details.map(({ type = "", value = "" }) => ({
      type,
      value: new Uint8Array(Buffer.from(value, "base64")),
    })),
  };
}
