import type { Because, NotificationKind } from "./notification.ts";
import type { ObjectKey } from "./object-key.ts";
import type { StateType, Status } from "./status.ts";

export const historyTypes = [
  "state",
  "notification",
  "notification_failed",
  "notification_suppressed",
  "flapping_start",
  "flapping_stop",
  "downtime_scheduled",
  "downtime_start",
  "downtime_end",
  "downtime_cancelled",
  "acknowledged",
  "acknowledgement_removed",
  "comment_added",
  "comment_deleted",
  "toggle",
  "handler",
  "config",
  "gap",
] as const;
export type HistoryType = (typeof historyTypes)[number];

/** What a record tells, before it has its place in the realm's history. Fields that do not apply are left out. */
export type HistoryEntry = {
  readonly atMs: number;
  readonly type: HistoryType;
  /** Absent where the record is of the whole realm. */
  readonly key?: ObjectKey;
  readonly status?: Status;
  readonly previousStatus?: Status;
  readonly stateType?: StateType;
  readonly attempt?: number;
  readonly output?: string;
  readonly author?: string;
  readonly onBehalfOf?: string;
  readonly comment?: string;
  readonly notificationKind?: NotificationKind;
  readonly contact?: string;
  readonly level?: number;
  readonly because?: Because;
  readonly downtimeId?: string;
  readonly commentId?: string;
};

/** One record of a realm's history. `seq` is gapless and counts from 1 within the realm's journal. */
export type HistoryRecord = HistoryEntry & { readonly seq: number; readonly realm: string };
