/** Cause of a failed delivery: a value of the label `reason` of the metrics. */
export type SinkFailureReason =
  | "connect"
  | "dns"
  | "tls"
  | "timeout"
  | "denied"
  | "rate_limited"
  | "server"
  | "refused"
  | "out_of_order"
  | "program"
  | "disk"
  | "setup";

/**
 * Result of one attempt to deliver a batch.
 *
 * - `delivered`: the receiver has the batch. `dropped`: number of its entries that the receiver refused for good.
 * - `held`: the writer keeps the batch and delivers it with later ones; `flush` returns its result
 * - `retry`: try again, not before `afterMs`
 * - `refused`: the receiver will never take the batch
 *
 * `detail` is part of a sentence without secrets and addresses. `quote` is text of the receiver, for the log only.
 */
export type SinkSendResult =
  | { readonly kind: "delivered"; readonly dropped?: number; readonly reason?: SinkFailureReason }
  | { readonly kind: "held" }
  | ({ readonly kind: "retry"; readonly afterMs?: number | undefined } & SinkFailure)
  | ({ readonly kind: "refused" } & SinkFailure);

export type SinkFailure = {
  readonly reason: SinkFailureReason;
  readonly detail: string;
  readonly quote?: string | undefined;
};

export const sinkDelivered: SinkSendResult = { kind: "delivered" };
