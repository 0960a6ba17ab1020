import type { Author } from "@realmwatch/shared/model/author";
import type { NotificationKind } from "@realmwatch/shared/model/notification";
import type { StateType, Status } from "@realmwatch/shared/model/status";

/** Identifies a decision among all decisions about its object. */
export const decisionIdOf = ({
  countedFromMs,
  notificationNumber,
}: Pick<PlannedNotification, "countedFromMs" | "notificationNumber">): string =>
  `${countedFromMs}.${notificationNumber}`;

/** A notification to `contacts`, as the engine decided it. The realm turns it into one `Notification` per contact. */
export type PlannedNotification = {
  readonly kind: NotificationKind;
  readonly contacts: readonly string[];
  readonly status: Status;
  /** Status that the contacts were last notified of. */
  readonly previousStatus: Status;
  readonly stateType: StateType;
  /** Index of the escalation level, from 0. */
  readonly level: number;
  /** Number of this notification about its problem, from 1; 0 for a notification that is not about a problem. */
  readonly number: number;
  /** Start of counting, Unix ms. With the object and the two counters below it identifies the notification. */
  readonly countedFromMs: number;
  readonly problemNumber: number;
  readonly notificationNumber: number;
  readonly by: Author;
  readonly comment: string;
};
