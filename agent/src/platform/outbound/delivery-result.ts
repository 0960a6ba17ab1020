/** Cause of a failed delivery attempt; a label of metrics. */
export type FailureReason =
  | "timeout"
  | "connect"
  | "dns"
  | "tls"
  | "denied"
  | "rate_limited"
  | "server"
  | "refused"
  | "setup"
  | "program"
  | "disk"
  | "out_of_order";

/**
 * Result of one delivery attempt. Only a `retry` is attempted again. `detail` is written for people and holds no
 * secret: no address, no token, no part of a request. `quote` is text of the receiver, for the log only.
 */
export type AttemptResult = { readonly kind: "delivered" } | RejectedFailure | RetryableFailure;

type Failure = { readonly reason: FailureReason; readonly detail: string; readonly quote?: string };

type RejectedFailure = Failure & { readonly kind: "rejected" };

/** Failure that a later attempt may overcome. */
export type RetryableFailure = Failure & {
  readonly kind: "retry";
  /** Delay that the receiver requested before the next attempt, ms, at least 0. */
  readonly afterMs?: number | undefined;
  /** True when the receiver may have taken it all the same. Default: by the reason, see `mayHaveArrived`. */
  readonly mayHaveArrived?: boolean;
};

/** True when it is unknown whether the receiver took it: without other knowledge after a timeout and a broken connection. */
export const mayHaveArrived = ({ reason, mayHaveArrived: known }: RetryableFailure): boolean =>
  known ?? (reason === "timeout" || reason === "connect");

export type DeliveryFailure = RejectedFailure | RetryableFailure;

export const delivered = { kind: "delivered" } as const;

export const reject = (reason: FailureReason, detail: string): RejectedFailure => ({
  kind: "rejected",
  reason,
  detail,
});

export const retry = (reason: FailureReason, detail: string, afterMs?: number): RetryableFailure => ({
  kind: "retry",
  reason,
  detail,
  afterMs,
});
