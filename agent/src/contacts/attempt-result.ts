/** Why an attempt did not succeed; a metric's label. */
export type AttemptFailure =
  | "timeout"
  | "connect"
  | "dns"
  | "tls"
  | "rate_limited"
  | "server"
  | "refused"
  | "setup"
  | "program";

/**
 * What became of one attempt. Only `retry` is worth another one; `afterMs` is the receiver's own wish. `detail` is for
 * people and holds no secret: no address, no token, nothing of a request.
 */
export type AttemptResult =
  | { readonly kind: "delivered" }
  | { readonly kind: "rejected"; readonly reason: AttemptFailure; readonly detail: string }
  | RetryableFailure;
export type RetryableFailure = {
  readonly kind: "retry";
  readonly reason: AttemptFailure;
  readonly detail: string;
  /** ms, at least 0. */
  readonly afterMs?: number | undefined;
};

export const delivered: AttemptResult = { kind: "delivered" };
export const reject = (reason: AttemptFailure, detail: string): AttemptResult => ({ kind: "rejected", reason, detail });
export const retry = (reason: AttemptFailure, detail: string, afterMs?: number): RetryableFailure => ({
  kind: "retry",
  reason,
  detail,
  afterMs,
});
