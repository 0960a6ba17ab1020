import type { ContactPlan } from "@realmwatch/shared/config/plan";
import type { CompletedDelivery } from "@realmwatch/shared/model/notification";
import type { AttemptResult, AttemptFailure } from "../attempt-result.ts";

export type ContactIdentity = { readonly contact: string; readonly type: ContactPlan["type"] | "" };

/** Who listens to how delivery goes: metrics and the log. */
export type DeliveryHooks = {
  attempted(of: ContactIdentity, attempt: AttemptResult, tookMs: number): void;
  /** `waitedMs`: from the decision. */
  ended(of: ContactIdentity, outcome: CompletedDelivery["outcome"], waitedMs: number): void;
};

/** Tells all of them, in order. */
export const combineDeliveryHooks = (...all: readonly DeliveryHooks[]): DeliveryHooks => ({
  attempted(of, attempt, tookMs) {
    for (const hooks of all) hooks.attempted(of, attempt, tookMs);
  },
  ended(of, outcome, waitedMs) {
    for (const hooks of all) hooks.ended(of, outcome, waitedMs);
  },
});

/** How it stands with one contact. */
export type ContactHealth = ContactIdentity & {
  /** Notifications that have not ended. */
  readonly waiting: number;
  readonly sending: number;
  /** Why nothing gets through at the moment; `undefined` while it does. */
  readonly failing: AttemptFailure | undefined;
  /** What the last attempt that failed said; empty where none did. Holds no secret. */
  readonly lastError: string;
  readonly lastErrorAtMs: number | undefined;
  readonly lastDeliveredAtMs: number | undefined;
};
