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

/** Response to an RPC that was not executed. */
export const refusedDispatch = (code: string, message: string): DispatchedResponse => ({
  code,
  message,
  details: [],
  body: new Uint8Array(),
});
