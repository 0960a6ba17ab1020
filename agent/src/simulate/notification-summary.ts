import type { NotificationKind } from "@realmwatch/shared/model/notification";
import type { Status } from "@realmwatch/shared/model/status";

/** A recorded or simulated notification, with the fields by which the two are compared. */
export type NotificationSummary = {
  /** Unix ms. */
  readonly atMs: number;
  readonly ref: string;
  readonly contact: string;
  readonly kind: NotificationKind;
  readonly status: Status;
  /** Index of the escalation level, from 0. */
  readonly level: number;
};
