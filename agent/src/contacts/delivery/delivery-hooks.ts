import type { ContactPlan } from "@realmwatch/shared/config/plan";
import type { CompletedDelivery } from "@realmwatch/shared/model/notification";
import type { AttemptResult, FailureReason } from "../../platform/outbound/delivery-result.ts";

/** Contact as metrics and logs label it; the type is empty for a contact that is no longer configured. */
export type ContactIdentity = { readonly contact: string; readonly type: ContactPlan["type"] | "" };

/** Callbacks of the delivery for metrics and the log. */
export type DeliveryHooks = {
  attempted(contact: ContactIdentity, result: AttemptResult, tookMs: number): void;
  /** `waitedMs`: time since the decision. */
  ended(contact: ContactIdentity, end: CompletedDelivery, waitedMs: number): void;
};

/** Calls all of the given hooks, in order. */
export const combineDeliveryHooks = (...all: readonly DeliveryHooks[]): DeliveryHooks => ({
  attempted(contact, result, tookMs) {
    for (const hooks of all) hooks.attempted(contact, result, tookMs);
  },
  ended(contact, end, waitedMs) {
    for (const hooks of all) hooks.ended(contact, end, waitedMs);
  },
});

/** State of the delivery to one contact. */
export type ContactHealth = ContactIdentity & {
  /** Number of notifications that have not ended. */
  readonly waiting: number;
  readonly sending: number;
  /** Reason why deliveries fail at the moment; undefined while they succeed. */
  readonly failing: FailureReason | undefined;
  /** Detail of the last failed attempt; empty when none failed. Holds no secret. */
  readonly lastError: string;
  readonly lastErrorAtMs: number | undefined;
  readonly lastDeliveredAtMs: number | undefined;
};
