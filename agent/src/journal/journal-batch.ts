import type { HistoryEntry } from "@realmwatch/shared/model/history";
import type { Notification } from "@realmwatch/shared/model/notification";

/** Serialized state of an object; `state` is undefined when the object is removed. */
type StateChange = { readonly ref: string; readonly state: string | undefined };

/**
 * Changes that become durable together or not at all. The same value goes from the realm loop to the writer thread,
 * which serializes it; it must not be modified after `Journal.append` was called. Order of effects:
 *
 * 1. Append: the writer thread puts the batch into one SQLite transaction: states, program, history, new notifications,
 *    ended deliveries, applied commands. Other writes that are pending at that time share the transaction.
 * 2. Sync: the commit returns when the write-ahead log is on the disk. If it fails, the transaction is rolled back, the
 *    counters with it, and each write is tried alone.
 * 3. Notify: only then `append` resolves, and its caller publishes rows and hands notifications and event handlers
 *    over.
 *
 * After a crash before 2 nothing of the batch is stored, and the commands that caused it are applied again. After a
 * crash between 2 and 3 the stored notifications are delivered at the next start, and history is published from its
 * cursor.
 */
export type JournalBatch = {
  /** At most some thousand, because commands wait while a batch is written. */
  readonly states: readonly StateChange[];
  /** Serialized program state (toggles, contacts); undefined when unchanged. */
  readonly program: string | undefined;
  /**
   * Set where the history was stored by another member of a pair, which had it alone: a batch whose records up to `seq`
   * of the copy `from` are stored already is stored without its history.
   */
  readonly merged?: { readonly from: string; readonly seq: number };
  /** Entries that get consecutive sequence numbers in this order. */
  readonly history: readonly HistoryEntry[];
  /** The stored states contain the effects of all commands up to this one: they are not applied again. */
  readonly appliedCommandSeq: number;
  /**
   * The performance data of all commands up to this one is in the log of the sinks: those that are applied are deleted
   * with this batch. Default: all that are applied.
   */
  readonly takenCommandSeq?: number;
  /** Notifications to deliver; stored until `delivered` contains their id. */
  readonly notifications?: readonly Notification[];
  /** Ids of notifications whose delivery has ended, successfully or not. Unknown ids are ignored. */
  readonly delivered?: readonly string[];
};
