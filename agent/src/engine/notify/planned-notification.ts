import type { NotificationKind } from "@realmwatch/shared/model/notification";
import type { StateType, Status } from "@realmwatch/shared/model/status";
import type { Author } from "../author.ts";

/** A notification to each of `contacts`, as the engine decided it. The realm makes one `Notification` per contact of it. */
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
  /** Start of counting, Unix ms, and the numbers of the problem and the notification since then: together with the object they identify the notification. */
  readonly countedFromMs: number;
  readonly problem: number;
  readonly message: number;
  readonly by: Author;
  readonly comment: string;
};
