import type { MissingRecords } from "../damage/missing-records.ts";

/** Stored records that a start needs, except the states. */
export type RecoveryHead = {
  readonly program: string | undefined;
  /** Accepted commands that are not yet applied, in order. */
  readonly commands: readonly StoredCommand[];
  /** Applied commands whose performance data may not be in the log of the sinks, in order. */
  readonly appliedCommands: readonly StoredCommand[];
  /** Notifications as JSON whose delivery has not ended, in order of decision. */
  readonly notifications: readonly string[];
  readonly lastHistorySeq: number;
  readonly lastCommandSeq: number;
  /** Stored epoch; 0 before the first start. */
  readonly epoch: number;
  /**
   * Set when a cursor has seen more history than the journal has, because the disk was lost or an older backup
   * restored. History then contains a record of type `gap`, and its numbers continue after the missing ones. Log it as
   * an error.
   */
  readonly missing: MissingRecords | undefined;
};

export type StoredCommand = { readonly seq: number; readonly json: string };

/** State of an object as JSON. */
export type StoredObjectState = readonly [ref: string, json: string];

export type StoredStateSlice = {
  readonly states: readonly StoredObjectState[];
  /** Row id after which the next slice begins; undefined for the last slice. */
  readonly nextAfterId: number | undefined;
};
