import type { SinkProgress } from "@realmwatch/shared/model/catalog";
import type { DeliveryFailure, FailureReason } from "../../platform/outbound/delivery-result.ts";

/** Numbers of entries since the start of the agent. */
type SinkCounts = {
  delivered: number;
  /** Failed attempts by reason. */
  readonly failed: Partial<Record<FailureReason, number>>;
  /** Entries that were given up, by reason; `overflow`: deleted from the log before they were delivered. */
  readonly dropped: Partial<Record<FailureReason | "overflow", number>>;
};

/** State of a sink as `ListSinks` and the metrics show it. */
export type SinkStatus = SinkProgress & { readonly name: string; readonly counts: SinkCounts };

/** Outcomes of a sink's attempts. */
export class SinkHealth {
  readonly counts: SinkCounts = { delivered: 0, failed: {}, dropped: {} };
  failures = 0;
  failingSinceMs: number | undefined;
  lastError = "";
  lastDeliveredMs: number | undefined;

  delivered(entries: number, nowMs: number): void {
    this.counts.delivered += entries;
    this.#succeeded();
    this.lastDeliveredMs = nowMs;
  }

  /** Notes a batch that the receiver refused for good. */
  rejected(entries: number, { reason, detail }: DeliveryFailure): void {
    increment(this.counts.failed, reason, 1);
    this.dropped(entries, reason);
    this.failures = 0;
    this.lastError = detail;
  }

  dropped(entries: number, reason: FailureReason | "overflow"): void {
    increment(this.counts.dropped, reason, entries);
  }

  failed({ reason, detail }: DeliveryFailure, nowMs: number): void {
    increment(this.counts.failed, reason, 1);
    this.failures += 1;
    this.failingSinceMs ??= nowMs;
    this.lastError = detail;
  }

  #succeeded(): void {
    this.failures = 0;
    this.failingSinceMs = undefined;
    this.lastError = "";
  }
}

function increment<K extends string>(counts: Partial<Record<K, number>>, key: K, by: number): void {
  if (by > 0) counts[key] = (counts[key] ?? 0) + by;
}
