import type { ContactPlan } from "@realmwatch/shared/config/plan";
import type { DeliveryEnd } from "@realmwatch/shared/model/notification";
import type { Attempt, AttemptFailure } from "../contact-type.ts";

export type ContactName = { readonly contact: string; readonly type: ContactPlan["type"] | "" };

/** Who listens to how delivery goes: metrics and the log. */
export type DeliveryHooks = {
  attempted(of: ContactName, attempt: Attempt, tookMs: number): void;
  /** `waitedMs`: from the decision. */
  ended(of: ContactName, outcome: DeliveryEnd["outcome"], waitedMs: number): void;
};

/** Tells all of them, in order. */
export const joinHooks = (...all: readonly DeliveryHooks[]): DeliveryHooks => ({
  attempted(of, attempt, tookMs) {
    for (const hooks of all) hooks.attempted(of, attempt, tookMs);
  },
  ended(of, outcome, waitedMs) {
    for (const hooks of all) hooks.ended(of, outcome, waitedMs);
  },
});

/** How it stands with one contact. */
export type ContactHealth = ContactName & {
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
