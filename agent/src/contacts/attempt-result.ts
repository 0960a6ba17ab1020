/** Reason why a delivery attempt failed; a label of metrics. */
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
 * Result of one delivery attempt. Only a `retry` is attempted again. `detail` is written for people and holds no
 * secret: no address, no token, no part of a request.
 */
export type AttemptResult =
  | { readonly kind: "delivered" }
  | { readonly kind: "rejected"; readonly reason: AttemptFailure; readonly detail: string }
  | RetryableFailure;

/** Failure that a later attempt may overcome. */
export type RetryableFailure = {
  readonly kind: "retry";
  readonly reason: AttemptFailure;
  readonly detail: string;
  /** Delay that the receiver requested before the next attempt, ms, at least 0. */
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
