import type { JournalPosition } from "../../journal/shipping/journal-position.ts";
import type { OtherAgent } from "../../port-host/agent-port-host.ts";
import type { DivergedSlice } from "../journal/diverged-copies.ts";
import type { SnapshotPiece } from "../journal/follow-result.ts";
import type { ShippedTail } from "../journal/journal-shipper.ts";
import type { MemberFacts } from "../member/member-facts.ts";
import type { ForwardedName } from "../standby-engine.ts";

/**
 * Version of the link. It is raised with each change of the messages, or of the operations in the journal's groups, that a
 * member of the version before would misunderstand; members of different versions refuse each other. A new field that the
 * other member may ignore needs none.
 */
export const linkVersion = 1;

/** Piece of a snapshot that a member needs. `id`: empty for a new snapshot. */
export type SnapshotPlace = { readonly id: string; readonly offset: number };

/** Request of a member that is not active: says what it has, and asks for what comes next. */
export type FollowRequest = {
  readonly kind: "follow";
  readonly facts: MemberFacts;
  /** Number of the answer that this request follows; 0 for the first one of a session. */
  readonly answers: number;
  /** True when the sender promises not to promote itself within the length of a lease. */
  readonly promises: boolean;
  /** End of its journal; undefined while that is not open. */
  readonly journal: JournalPosition | undefined;
  /** Piece of a snapshot that it needs; undefined when it needs none. */
  readonly snapshot: SnapshotPlace | undefined;
  /** False while the sender's port has not taken the rows of an earlier answer. */
  readonly takesRows: boolean;
};

export type FollowAnswer = {
  /** Counts the answers of a session from 1. */
  readonly number: number;
  readonly facts: MemberFacts;
  /** Reason why the sender is not the other member of this pair, as a sentence; empty for the other member. */
  readonly refusal: string;
  /** Undefined of a member that is not active, and for a stranger. */
  readonly active: ActiveAnswer | undefined;
};

/** Answer of the active member to its standby. */
export type ActiveAnswer = Omit<OtherAgent, "feed" | "completeEpoch"> & {
  /** End of its journal when the answer was made. */
  readonly journal: JournalPosition;
  /** Undefined when the asked journal is not a beginning of this one. */
  readonly tail: ShippedTail | undefined;
  /** Undefined when none was asked for, or when the one that was asked for is gone. */
  readonly snapshot: SnapshotPiece | undefined;
  /** True once all rows have been sent. */
  readonly hasAllRows: boolean;
  /** Epoch that the rows had when they began to be sent; that of a later row may be greater. */
  readonly epoch: number;
  /** Time up to which the rows are complete with these, Unix ms of the active member. */
  readonly atMs: number;
};

/** Call of the active member's engine, for a caller of the standby's port. */
export type EngineCall = {
  readonly kind: "engine";
  readonly name: ForwardedName;
  readonly args: readonly unknown[];
};

/** History records that the sender had alone. Answered by a `Result` with a sentence. */
type MergeRequest = { readonly kind: "merge"; readonly member: string; readonly slice: DivergedSlice };

export type LinkRequest = FollowRequest | EngineCall | MergeRequest | { readonly kind: "switch" };
