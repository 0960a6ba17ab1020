import type { ContactPlan } from "@realmwatch/shared/config/plan";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { CompletedDelivery, FailedAttempt, Notification } from "@realmwatch/shared/model/notification";
import type { RandomSource } from "@realmwatch/shared/platform/random";
import type { AttemptResult, FailureReason } from "../../platform/outbound/delivery-result.ts";
import type { RightToAct } from "../../platform/right/right-to-act.ts";
import type { ContactMessage } from "../contact-message.ts";

/** Reports of the delivery to the realm. */
export type DeliveryReports = {
  /**
   * Called once for each notification, which the delivery then forgets. Resolves when the end will survive a crash: the
   * contact's next message waits for it. Must not reject.
   */
  ended(ends: readonly CompletedDelivery[]): Promise<void>;
  /** Called after failed attempts that others follow. */
  attemptsFailed(attempts: readonly FailedAttempt[]): void;
  /** Called once for each notification that is not delivered in time for its contact's fallback. */
  overdue(notifications: readonly Notification[]): void;
};

/** One contact as its pipeline, its queue and its fallback watch use it. The configuration is read at each use. */
export type ContactPort = DeliveryReports & {
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly right: RightToAct;
  /** True when messages are marked that may have arrived before. */
  readonly marksDuplicates: boolean;
  /** Longest duration of one attempt, ms. */
  deadlineMs(): number;
  /** Time for which notifications are gathered into a digest, ms; 0 sends each at once. */
  groupWaitMs(): number;
  /** `fallback_after` of the contact, ms; undefined without a fallback. */
  fallbackAfterMs(): number | undefined;
  /** Makes one attempt. Never rejects. */
  send(message: ContactMessage, signal: AbortSignal): Promise<AttemptResult>;
  attempted(result: AttemptResult, tookMs: number): void;
};

/** Contact as metrics and logs label it; the type is empty once the contact is removed from the configuration. */
export type ContactIdentity = { readonly contact: string; readonly type: ContactPlan["type"] | "" };

/** Callbacks of the delivery for metrics and the log. */
export type DeliveryHooks = {
  attempted(contact: ContactIdentity, result: AttemptResult, tookMs: number): void;
  /** `waitedMs`: time since the decision. */
  ended(contact: ContactIdentity, end: CompletedDelivery, waitedMs: number): void;
};

/** State of the delivery to one contact. */
export type ContactHealth = ContactIdentity & {
  /** Number of notifications that have not ended. */
  readonly waiting: number;
  /** Reason why deliveries fail at the moment; undefined while they succeed. */
  readonly failing: FailureReason | undefined;
};
