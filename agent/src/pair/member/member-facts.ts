import type { PairRole, PairTakeover } from "@realmwatch/shared/model/pair-status";

/** Settings of a member that do not change while its process runs. */
export type MemberSettings = {
  readonly realm: string;
  /** Name of this member (`-pair`). */
  readonly member: string;
  /** Random id of its process. */
  readonly instance: string;
  /** Version of the journal's schema. */
  readonly schema: number;
  /** Version of the link (`linkVersion`); absent for 1. */
  readonly link?: number;
  /** Length of a lease and of a promise, ms (`-pair-lease`). */
  readonly leaseMs: number;
};

/** Knowledge of a member that survives its process: it is stored in its journal. */
export type JournalMark = {
  /** Identity of the stream of the lease; empty before the first one. */
  readonly stream: string;
  /** Greatest sequence number of the lease known in that stream. A new stream starts anew. */
  readonly seq: number;
  /** Greatest term known to have begun; 0 before the first one. */
  readonly term: number;
  /** Term of this member's last claim, stored before the claim is sent; 0 for none. */
  readonly claimedTerm: number;
  /** Last term of which this journal had everything that was acknowledged; 0 for none. A wiped journal has 0. */
  readonly syncedTerm: number;
  /** Last change of the active member that this member knows of; absent before the first one. */
  readonly lastTakeover?: PairTakeover | undefined;
};

/** Mark of a journal that never belonged to a pair. */
export const emptyMark: JournalMark = { stream: "", seq: 0, term: 0, claimedTerm: 0, syncedTerm: 0 };

/** Reason for which an active member gives the realm up: a planned switch, or the end of its process. */
export type GivingUp = "switch" | "goodbye";

/** Facts of a member that it sends over the link with every request and response. */
export type MemberFacts = MemberSettings & {
  readonly role: PairRole;
  /** True while the member is active, with or without a right to act. */
  readonly active: boolean;
  /** Set while an active member gives the realm up. */
  readonly givingUp: GivingUp | undefined;
  readonly mark: JournalMark;
  /** Position of its last group: the length of its journal. */
  readonly position: number;
  /** Last change of the active member that this member knows of. */
  readonly lastTakeover?: PairTakeover | undefined;
  /** True when the configuration document of this member is not the one that the active member runs. */
  readonly documentDiffers?: boolean | undefined;
};
