import type { DeliveryFailure, FailureReason } from "../platform/outbound/delivery-result.ts";

/**
 * Result of one attempt to deliver a batch.
 *
 * - `delivered`: the receiver has the batch. `dropped`: number of its entries that the receiver refused for good.
 * - `held`: the writer keeps the batch and delivers it with later ones; `flush` returns its result
 * - `retry`: try again, not before `afterMs`
 * - `rejected`: the receiver will never take the batch
 */
export type SinkSendResult =
  | { readonly kind: "delivered"; readonly dropped?: number; readonly reason?: FailureReason }
  | { readonly kind: "held" }
  | DeliveryFailure;
