import { isDeepStrictEqual } from "node:util";
import type { LeaseReading, LeaseWriting } from "../lease/lease-store.ts";
import { pairTimes } from "../pair-times.ts";
import { freshWatch, sawRenewal, unchangedInMs } from "./lease-watch.ts";
import { fence, leaveActive } from "./leave-active.ts";
import type { ActivePhase, Member, MemberStep, SentClaim } from "./member.ts";
import type { MemberTime } from "./member-event.ts";
import { laterRight, remainingRights, rightFrom } from "./right.ts";
import { continueStep, markWith, readWhenDue, sendLease, stepTo } from "./steps.ts";

/** Goes on after the answer to a lease that an active member has sent. */
export function afterWriting(
  member: Member,
  phase: ActivePhase,
  { claim, writing }: { readonly claim: SentClaim; readonly writing: LeaseWriting },
  time: MemberTime,
): MemberStep {
  switch (writing.kind) {
    case "written":
      return adoptLease(member, phase, { claim, seq: writing.seq }, time);
    case "conflict": {
      // A goodbye that was refused is not written; an earlier one may be.
      const givingUp = phase.givingUp?.goodbyeOpen ? phase.givingUp : withoutGoodbye(phase);
      return stepTo({ ...member, phase: { ...phase, givingUp, mustRead: true }, nextReadMs: time.nowMs });
    }
    default: {
      const goodbyeOpen = claim.lease.goodbye || phase.givingUp?.goodbyeOpen === true;
      const givingUp = phase.givingUp && { ...phase.givingUp, goodbyeOpen };
      const next = { ...phase, givingUp, mustRead: true };
      return stepTo({ ...member, unresolved: claim, phase: next, nextReadMs: time.nowMs });
    }
  }
}

/** [PA1] Counts the right from before the lease was sent that is now known to be written. */
function adoptLease(
  member: Member,
  phase: ActivePhase,
  { claim, seq }: { readonly claim: SentClaim; readonly seq: number },
  time: MemberTime,
): MemberStep {
  const { leaseMs, renewalMs } = pairTimes(member.settings.leaseMs);
  const { lease, stream, sentAt } = claim;
  if (lease.goodbye) return leaveActive({ ...member, unresolved: undefined }, phase, time);
  const next: ActivePhase = {
    ...phase,
    stream,
    seq,
    inSync: lease.inSync,
    withoutLease: false,
    forcedRight: false,
    leaseRight: laterRight(phase.leaseRight, rightFrom(sentAt, leaseMs)),
    nextRenewalMs: sentAt.nowMs + renewalMs,
    pendingInSyncSeq: undefined,
    leaseProblem: "",
    mustRead: false,
    givingUp: withoutGoodbye(phase),
  };
  return markWith({ ...member, unresolved: undefined, phase: next }, { stream, seq });
}

/** Goes on after a reading: the lease is still its own, was taken over, or is gone. */
export function afterReading(member: Member, phase: ActivePhase, reading: LeaseReading, time: MemberTime): MemberStep {
  const { settings, unresolved } = member;
  const { lease, seq, stream } = reading;
  const isOwn = lease?.instance === settings.instance && lease.member === settings.member && lease.term === phase.term;
  const sent = unresolved !== undefined && isDeepStrictEqual(unresolved.lease, lease) ? unresolved : undefined;
  if (sent !== undefined && sent.stream === stream) return adoptLease(member, phase, { claim: sent, seq }, time);
  const settled = { ...member, unresolved: undefined };
  if (isOwn && stream === phase.stream && seq >= phase.seq) return afterOwnLease(settled, phase, reading, time);
  const isTaken = stream === phase.stream && seq > phase.seq && !phase.withoutLease;
  const isRenewed = phase.withoutLease && settled.watch !== undefined && sawRenewal(settled.watch);
  if (lease !== undefined && !isOwn && (lease.term > phase.term || isTaken || isRenewed))
    return fence(settled, phase, `${lease.member} is active in term ${lease.term}`);
  const leaseProblem = describeLoss(phase, reading);
  // Force replaced a lease that this member knew; any other one may belong to a member that is still active.
  const isReplaced = phase.withoutLease && stream === phase.stream && seq === phase.seq;
  const forcedRight = phase.forcedRight && isReplaced;
  return stepTo({ ...settled, phase: { ...phase, leaseProblem, forcedRight, mustRead: true } });
}

/** Giving up after a later lease was written, or the goodbye refused: no goodbye is written any more. */
const withoutGoodbye = ({ givingUp }: ActivePhase): ActivePhase["givingUp"] =>
  givingUp && { ...givingUp, goodbyeSent: false, goodbyeOpen: false };

/** Own lease with the known sequence number, or a later one whose answer was lost. */
function afterOwnLease(member: Member, phase: ActivePhase, { seq, lease }: LeaseReading, time: MemberTime): MemberStep {
  if (lease?.goodbye) return leaveActive(member, phase, time);
  const inSync = lease?.inSync ?? phase.inSync;
  const pendingInSyncSeq = seq > phase.seq ? undefined : phase.pendingInSyncSeq;
  const next = {
    ...phase,
    seq,
    inSync,
    pendingInSyncSeq,
    leaseProblem: "",
    mustRead: false,
    nextRenewalMs: time.nowMs,
  };
  return markWith({ ...member, phase: next }, { seq });
}

function describeLoss(phase: ActivePhase, { stream, seq, lease }: LeaseReading): string {
  if (phase.withoutLease) return `the lease of ${lease?.member ?? "no member"} has to be replaced`;
  if (stream !== phase.stream) return "the stream SVC_LEASE was made anew";
  if (lease === undefined) return "the stream SVC_LEASE has no lease of the realm any more";
  return `the lease went back to sequence ${seq} of term ${lease.term}; this member wrote ${phase.seq} of ${phase.term}`;
}

/** Sends the lease when it is time, or when `inSync` has to change; reads it first where its state is not known. */
export function keepLease(member: Member, phase: ActivePhase, inSync: boolean, time: MemberTime): MemberStep {
  if (member.writing !== undefined) return stepTo(member);
  if (phase.leaseProblem !== "") return makeAnew(member, phase, time);
  if (member.unresolved !== undefined || phase.mustRead) return readWhenDue(member, time);
  if (time.nowMs < phase.nextRenewalMs && inSync === phase.inSync) return stepTo(member);
  if (!mayRenew(member, phase, time)) return readWhenDue(member, time);
  return sendActiveLease(member, phase, { inSync, goodbye: false }, time);
}

/**
 * [PA16] A member whose right has ended, and whose standby was in sync, may have been replaced by a lease that NATS has lost
 * since: it waits as a challenger does, until the right of that one would have ended too.
 */
function mayRenew(member: Member, phase: ActivePhase, time: MemberTime): boolean {
  const { leaseMs, promiseMs } = remainingRights(member, time);
  if (leaseMs > 0 || promiseMs > 0) return true;
  // A stream that was made anew may have another lease with the same sequence number.
  const watch = freshWatch(member, time);
  if (watch?.reading.stream !== phase.stream || watch.reading.seq !== phase.seq) return false;
  const mayBeInSync = phase.inSync || phase.pendingInSyncSeq !== undefined;
  return !mayBeInSync || unchangedInMs(member, watch, time) === 0;
}

/** Sends a lease of the term on the sequence number that is known. */
export function sendActiveLease(
  member: Member,
  phase: ActivePhase,
  content: { readonly inSync: boolean; readonly goodbye: boolean },
  time: MemberTime,
): MemberStep {
  const pendingInSyncSeq = content.inSync ? phase.seq : phase.pendingInSyncSeq;
  const next = { ...member, phase: { ...phase, pendingInSyncSeq } };
  return sendLease(next, { term: phase.term, ...content }, phase, time);
}

/**
 * [PA8] Makes a lease anew that is gone or went back: only with a promise of the other member, or, after a promotion by
 * force, when the lease was unchanged for as long as another right may last. Without it nothing could be handed over.
 */
function makeAnew(member: Member, phase: ActivePhase, time: MemberTime): MemberStep {
  const watch = member.unresolved === undefined ? freshWatch(member, time) : undefined;
  const hasPromise = remainingRights(member, time).promiseMs > 0;
  const isFree = phase.givingUp === undefined && phase.withoutLease && isReplaceable(member, phase, time);
  if (watch === undefined || phase.givingUp?.goodbyeSent || !(hasPromise || isFree)) return readWhenDue(member, time);
  const { seq, stream } = watch.reading;
  return continueStep(stepTo({ ...member, phase: { ...phase, mustRead: true } }), (next) =>
    sendLease(next, { term: phase.term, inSync: false, goodbye: false }, { seq, stream }, time),
  );
}

function isReplaceable(member: Member, phase: ActivePhase, time: MemberTime): boolean {
  const watch = freshWatch(member, time);
  if (watch === undefined) return false;
  const isKnown = watch.reading.stream === phase.stream && watch.reading.seq === phase.seq && phase.forcedRight;
  return isKnown || unchangedInMs(member, watch, time) === 0;
}
