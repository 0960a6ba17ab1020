import type { AcceptedCommand } from "@realmwatch/shared/commands/commands";
import type { AuditRecord } from "@realmwatch/shared/model/audit";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { Notification } from "@realmwatch/shared/model/notification";
import type { Selector } from "@realmwatch/shared/text/selector/selector";
import type { AlertChange } from "./alert-table.ts";
import type { KeptAnswer } from "./command-answer.ts";
import type { MissingRecords } from "./damage/missing-records.ts";
import type { VerifiedFile } from "./schema/verified-file.ts";
import type { GroupShipping } from "./shipping/group-shipping.ts";
import type { RecoveryHead } from "./write/recovery-records.ts";

/** Stored records that a start needs, except the states of objects. */
export type JournalRecovery = Omit<RecoveryHead, "commands" | "appliedCommands" | "notifications"> & {
  readonly commands: readonly AcceptedCommand[];
  readonly appliedCommands: readonly AcceptedCommand[];
  readonly notifications: readonly Notification[];
};

export type JournalHealth = {
  /** False from the first failed write until one succeeds; a probe tries every 5 s. */
  readonly writable: boolean;
  /** Reason why the journal is not writable or history not readable; empty when both work. */
  readonly error: string;
  /** Size of the journal on the disk, bytes. */
  readonly bytes: number;
  /** Free space of its disk, bytes. */
  readonly freeBytes: number;
  readonly missing: MissingRecords | undefined;
  /** Number of distinct history and audit records that were damaged when read; 0 to 1000. */
  readonly damagedRecords: number;
};

/** Records that are stored with a command in one transaction, or not at all when it is refused. */
export type CommandRecords = {
  readonly audit?: readonly AuditRecord[];
  /** Answer to the call, for its repeats. */
  readonly answer?: KeptAnswer | undefined;
  /** Changes of the alerts that fire, each key at most once. */
  readonly alerts?: readonly AlertChange[];
};

/** Returns the references of the objects that a selector matches now. */
export type FindMatchingRefs = (selector: Selector) => readonly string[];

export type JournalOptions = {
  /** Created with mode 0700 when missing. */
  readonly dataDir: string;
  readonly realm: string;
  /** Age after which history is deleted, ms. */
  readonly historyRetentionMs: number;
  /** Age after which audit records are deleted, ms; undefined for never. */
  readonly auditRetentionMs?: number;
  /** Called with the duration of each write and sync, ms. */
  onSync?(ms: number): void;
  /** Called with the name of the first damaged record that is read, such as `history record 7`. */
  onDamage?(what: string): void;
  readonly clock: Clock;
  /** Receiver of the journal's groups at the active member of a pair; absent without a pair. */
  readonly pair?: GroupShipping;
  /** The journal's file as the follower of this process has closed it: it is not searched for damage again. */
  readonly verified?: VerifiedFile | undefined;
};
