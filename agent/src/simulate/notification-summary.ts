import type { NotificationKind } from "@realmwatch/shared/model/notification";
import type { Status } from "@realmwatch/shared/model/status";

/** A message that was, or would be, decided on: what makes it the same one in a record and in a rehearsal. */
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
