import type { DispatchedResponse } from "../../wire/nats/nats-rpc.ts";

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

/** Response that says why an RPC was not executed, or failed. */
export const refusedDispatch = (code: string, message: string): DispatchedResponse => ({
  code,
  message,
  details: [],
  body: new Uint8Array(),
});
