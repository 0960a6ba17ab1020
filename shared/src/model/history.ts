import type { Acknowledgement, Comment } from "./annotation.ts";
import type { Downtime } from "./downtime.ts";
import type { NotificationDecision, NotificationKind } from "./notification.ts";
import type { ObjectKey } from "./object-key.ts";
import type { StateType, Status } from "./status.ts";

export const historyTypes = [
  "state",
  "notification",
  "notification_queued",
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
  "note",
  "toggle",
  "handler",
  "config",
  "gap",
  "pair_takeover",
  "pair_degraded",
  "pair_recovered",
] as const;
/**
 * Type of a history record. `notification_queued`: a notification to a contact was decided; `notification`: its receiver
 * took it; `notification_failed`: it was given up.
 */
export type HistoryType = (typeof historyTypes)[number];

/** Event of the pair of agents that serves a realm. */
export type HistoryPair = {
  /** Member that was active before; empty at the first start. */
  readonly from: string;
  /** With `pair_takeover` the member that is active now, else the standby. */
  readonly to: string;
  /** Epoch of the active member. */
  readonly term: number;
  /** With `pair_takeover` a `TakeoverReason`, else a sentence. */
  readonly reason: string;
};

/** Content of a history record, before it gets its number. Fields that do not apply are left out. */
export type HistoryEntry = {
  readonly atMs: number;
  readonly type: HistoryType;
  /** Absent when the record is about the whole realm. */
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
  /** True for a notification that its contact may have got before. */
  readonly possibleDuplicate?: boolean;
  readonly level?: number;
  readonly because?: NotificationDecision;
  readonly downtimeId?: string;
  /** In records of a downtime: the change that it was scheduled with. */
  readonly changeId?: string;
  /** Id of the comment, with `note` of the note. */
  readonly commentId?: string;
  /** The new acknowledgement; with `acknowledgement_removed`, the one that was removed. */
  readonly acknowledgement?: Acknowledgement;
  /** The downtime after `downtime_scheduled` and `downtime_start`; before `downtime_end` and `downtime_cancelled`. */
  readonly downtime?: Downtime;
  /** With `comment_deleted`: the deleted comment, with its own author and time. */
  readonly deletedComment?: Comment;
  /** With `gap`: last sign of life of the agent before a time in which it did not run, Unix ms. */
  readonly stoppedAtMs?: number;
  /** Member of a pair that had this record alone; it was merged after the member returned. */
  readonly divergedFrom?: string;
  /** In records of the pair of agents that serves the realm. */
  readonly pair?: HistoryPair;
  /** True when texts were cut on the way to an aggregator. */
  readonly truncated?: boolean;
};

/** One record of a realm's history. `seq` is gapless and counts from 1 within the realm's journal. */
export type HistoryRecord = HistoryEntry & { readonly seq: number; readonly realm: string };
