import type { Acknowledgement, Comment } from "./annotation.ts";
import type { Downtime } from "./downtime.ts";
import type { NotificationDecision, NotificationKind } from "./notification.ts";
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
  readonly because?: NotificationDecision;
  readonly downtimeId?: string;
  readonly commentId?: string;
  /** The one that was given or, of `acknowledgement_removed`, the one that is no more. */
  readonly acknowledgement?: Acknowledgement;
  /** Of `downtime_scheduled` and `downtime_start`, as it was after the record; of an end, as it was before. */
  readonly downtime?: Downtime;
  /** Of `comment_deleted`: what was deleted, with its own author and instant. */
  readonly deletedComment?: Comment;
};

/** One record of a realm's history. `seq` is gapless and counts from 1 within the realm's journal. */
export type HistoryRecord = HistoryEntry & { readonly seq: number; readonly realm: string };
