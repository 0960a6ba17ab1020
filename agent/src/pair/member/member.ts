import type { TakeoverReason } from "@realmwatch/shared/model/pair-status";
import type { Lease, LeaseReading } from "../lease/lease-store.ts";
import { pairTimes, standbySilenceMs } from "../pair-times.ts";
import type { MemberAction } from "./member-action.ts";
import type { JournalProgress, MemberTime } from "./member-event.ts";
import type { GivingUp, JournalMark, MemberFacts, MemberSettings } from "./member-facts.ts";

/** Right that one witness gave. It ends at its time, and earlier when the machine was suspended. */
export type Right = { readonly untilMs: number; readonly wallAheadMs: number };

/** Lease as a member has read it, and since when it is unchanged. */
export type LeaseWatch = {
  readonly reading: LeaseReading;
  /** Time since which every reading was the same; counted anew after a failure or a gap between readings. */
  readonly sinceMs: number;
  /** Time at which the last successful reading was asked for. */
  readonly readAt: MemberTime;
  /** Reading that this one replaced, without a gap between them. */
  readonly previous: LeaseReading | undefined;
};

/** Compare-and-set that is under way, or whose outcome is unknown. */
export type LeaseClaim = { readonly lease: Lease; readonly expectedSeq: number; readonly stream: string };

/** Compare-and-set with the time before it was sent. */
export type SentClaim = LeaseClaim & { readonly sentAt: MemberTime };

/** Progress of an active member that gives the realm up. */
type Handover = {
  readonly why: GivingUp;
  readonly sinceMs: number;
  /** True while a goodbye may be written: then the right has ended. */
  readonly goodbyeSent: boolean;
  /** True while the outcome of a goodbye is unknown. */
  readonly goodbyeOpen: boolean;
};

/** Member that serves the realm, with or without a right to act. */
export type ActivePhase = {
  readonly kind: "active";
  readonly term: number;
  readonly sinceMs: number;
  /** Identity of the stream and sequence number of its last lease that is known to be written. */
  readonly stream: string;
  readonly seq: number;
  /** Value of `inSync` in that lease. */
  readonly inSync: boolean;
  /** True until the first lease is written: the member was promoted by force while NATS was away. */
  readonly withoutLease: boolean;
  readonly leaseRight: Right | undefined;
  readonly promiseRight: Right | undefined;
  /** True while the word of the operator stands in for both witnesses. */
  readonly forcedRight: boolean;
  readonly nextRenewalMs: number;
  readonly duty: "starting" | "running" | "stopping" | "stopped";
  /** Disks that a group needs before it counts as acknowledged. */
  readonly acknowledging: "alone" | "both";
  /** Position that the standby must reach before the lease may say `inSync`; undefined until it is known. */
  readonly barrier: number | undefined;
  /** True when the standby is another process than before: the lease has to say so first. */
  readonly standbyChanged: boolean;
  /** Expected sequence of a lease with `inSync: true` that may still be written. */
  readonly pendingInSyncSeq: number | undefined;
  readonly progress: JournalProgress | undefined;
  /** Reason why the lease cannot be renewed; empty when it can. */
  readonly leaseProblem: string;
  /** True when the lease has to be read before it is written. */
  readonly mustRead: boolean;
  readonly givingUp: Handover | undefined;
  /** Time since which the standby is not in sync; undefined while it is. */
  readonly degradedSinceMs: number | undefined;
  readonly degradedRecorded: boolean;
};

/** Takeover whose lease is being written. */
export type ClaimingPhase = {
  readonly kind: "claiming";
  readonly term: number;
  readonly reason: TakeoverReason;
  readonly from: string;
};

type MemberPhase =
  | { readonly kind: "following" }
  | ClaimingPhase
  | ActivePhase
  /** The duty ends because another member is active. */
  | { readonly kind: "ending" }
  | { readonly kind: "ended" };

/** Other member, as last heard. */
type Peer = {
  readonly facts: MemberFacts;
  readonly heardAtMs: number;
  /** Time at which the facts were certainly true or later: a frozen process finds old messages when it wakes. */
  readonly provenAt: MemberTime | undefined;
  readonly linkUp: boolean;
};

/**
 * Refusal of a member to take part. `stranger`: the other one is not of its pair, or says that this one is not. `mismatch`:
 * the other one is, but neither can follow the other.
 */
export type MemberRefusal = {
  readonly kind: "stranger" | "mismatch";
  readonly why: string;
  /** Time at which the other member was heard last. */
  readonly atMs: number;
};

/** State of one member of a pair. Changed by `stepMember` only. */
export type Member = {
  readonly settings: MemberSettings;
  readonly mark: JournalMark;
  /** Length of the own journal. */
  readonly position: number;
  readonly phase: MemberPhase;
  readonly watch: LeaseWatch | undefined;
  /** Error of the last reading; empty when it succeeded. */
  readonly readProblem: string;
  /** Time since which no reading has succeeded; undefined after one. */
  readonly unreadableSinceMs: number | undefined;
  readonly isReading: boolean;
  readonly nextReadMs: number;
  readonly writing: LeaseClaim | undefined;
  /** Write whose outcome is unknown until the lease is read. */
  readonly unresolved: SentClaim | undefined;
  /** Time of the last answer to a write: an earlier reading says nothing about it. */
  readonly writtenAtMs: number;
  /** Time at which the other member last said more about the lease than this one knew: an earlier reading is older. */
  readonly learnedAtMs: number;
  readonly peer: Peer | undefined;
  readonly linkProblem: string;
  /** End of the promise to the other member, which this member keeps. */
  readonly promisedUntilMs: number;
  /** Refusal to take part; undefined when it does. */
  readonly refusal: MemberRefusal | undefined;
  /** Reason why another member is refused; empty for none. */
  readonly peerRefusal: string;
  readonly greatestEpoch: number;
  /** Term of a claim that this process sent and that may still be written; 0 for none. A further claim has it too. */
  readonly openClaimTerm: number;
  readonly lastLeaseAt: number;
  readonly isStopping: boolean;
  /** Time before which a failed duty is not started again. */
  readonly retryAtMs: number;
  readonly dutyProblem: string;
  /** Last time that this member gave the realm up, until another one is active. */
  readonly gaveUp: { readonly why: GivingUp; readonly term: number; readonly atMs: number } | undefined;
  readonly switchAsked: boolean;
  readonly promoteAsked: boolean;
};

/** State of a member after an event, and the work that follows. */
export type MemberStep = { readonly member: Member; readonly actions: readonly MemberAction[] };

/**
 * Creates the state of a process that has just started. `position` is the length of its journal, `mark` what that says.
 * Promises of an earlier process may still be kept by the other member, so that this one keeps them too.
 */
export function newMember(
  settings: MemberSettings,
  mark: JournalMark,
  position: number,
  { nowMs }: MemberTime,
): Member {
  const { challengeMs } = pairTimes(settings.leaseMs);
  return {
    settings,
    mark,
    position,
    phase: { kind: "following" },
    watch: undefined,
    readProblem: "not read yet",
    unreadableSinceMs: nowMs,
    isReading: false,
    nextReadMs: nowMs,
    writing: undefined,
    unresolved: undefined,
    writtenAtMs: Number.NEGATIVE_INFINITY,
    learnedAtMs: Number.NEGATIVE_INFINITY,
    peer: undefined,
    linkProblem: "not heard yet",
    promisedUntilMs: mark.term > 0 ? nowMs + challengeMs : nowMs,
    refusal: undefined,
    peerRefusal: "",
    greatestEpoch: 0,
    openClaimTerm: 0,
    lastLeaseAt: 0,
    isStopping: false,
    retryAtMs: nowMs,
    dutyProblem: "",
    gaveUp: undefined,
    switchAsked: false,
    promoteAsked: false,
  };
}

/** The other member while it is reachable over the link. */
export function reachablePeer({ peer }: Member, { nowMs }: MemberTime): MemberFacts | undefined {
  if (peer === undefined || !peer.linkUp) return undefined;
  return nowMs - peer.heardAtMs <= standbySilenceMs ? peer.facts : undefined;
}
