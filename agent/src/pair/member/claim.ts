import type { TakeoverReason } from "@realmwatch/shared/model/pair-status";
import { ok } from "@realmwatch/shared/model/result";
import { pairTimes } from "../pair-times.ts";
import type { ActivePhase, ClaimingPhase, LeaseWatch, Member, MemberStep } from "./member.ts";
import type { MemberTime } from "./member-event.ts";
import { continueStep, markWith, sendLease, stepTo } from "./steps.ts";

/** Circumstances in which a member became active. */
type Promotion = Pick<ActivePhase, "stream" | "seq" | "leaseRight"> & Omit<ClaimingPhase, "kind">;

/** [PA9] Epoch for a new term: the wall clock, or one more than the greatest epoch that the member knows of. */
export function mintTerm(member: Member, { wallMs }: MemberTime): number {
  const { mark, watch, peer, greatestEpoch, openClaimTerm, settings } = member;
  const lease = watch?.reading.lease;
  const isOwnClaim = lease?.instance === settings.instance && lease.term === openClaimTerm;
  const known = [mark.term, greatestEpoch, peer?.facts.mark.term ?? 0, peer?.facts.mark.claimedTerm ?? 0];
  if (lease !== undefined && !isOwnClaim) known.push(lease.term, lease.epoch);
  // A claim whose outcome stayed unknown may still be written: the journal's mark has to fit both.
  if (openClaimTerm > Math.max(...known)) return openClaimTerm;
  return Math.max(Math.floor(wallMs), ...[...known, mark.claimedTerm].map((epoch) => epoch + 1));
}

/** Sends the lease of a takeover. The journal knows of the claim first. */
export function claim(
  member: Member,
  { watch, reason, from }: { readonly watch: LeaseWatch; readonly reason: TakeoverReason; readonly from: string },
  time: MemberTime,
): MemberStep {
  const term = mintTerm(member, time);
  const { seq, stream } = watch.reading;
  const phase = { kind: "claiming", term, reason, from } as const;
  return continueStep(markWith({ ...member, phase, openClaimTerm: term }, { claimedTerm: term }), (marked) =>
    sendLease(marked, { term, inSync: false, goodbye: false }, { seq, stream }, time),
  );
}

/** Makes the member active and starts its duty. */
export function becomeActive(member: Member, promotion: Promotion, time: MemberTime): MemberStep {
  const { term, reason, from, seq, stream } = promotion;
  const to = member.settings.member;
  const phase = newActivePhase(promotion, time, pairTimes(member.settings.leaseMs).renewalMs);
  const isChange = from !== to;
  const active: Member = {
    ...member,
    phase,
    openClaimTerm: 0,
    gaveUp: undefined,
    refusal: undefined,
    promoteAsked: false,
  };
  const takeover = isChange ? { lastTakeover: { atMs: time.wallMs, from, to, reason, term } } : {};
  const mark = { stream, seq, term, claimedTerm: term, syncedTerm: term, ...takeover };
  return continueStep(markWith(active, mark), (marked) =>
    stepTo(
      marked,
      { kind: "acknowledge", alone: true },
      { kind: "startDuty", epoch: term, reason },
      ...(isChange ? [{ kind: "record", record: { kind: "PAIR_TAKEOVER", from, to, term, reason } } as const] : []),
      ...(member.promoteAsked ? [{ kind: "answerPromote", answer: ok(undefined) } as const] : []),
    ),
  );
}

/** Phase of a member that has just become active: the other one is not in sync with the new term yet. */
function newActivePhase(promotion: Promotion, { nowMs }: MemberTime, renewalMs: number): ActivePhase {
  const { term, stream, seq, leaseRight } = promotion;
  return {
    kind: "active",
    term,
    sinceMs: nowMs,
    stream,
    seq,
    inSync: false,
    withoutLease: leaseRight === undefined,
    leaseRight,
    promiseRight: undefined,
    forcedRight: leaseRight === undefined,
    nextRenewalMs: nowMs + renewalMs,
    duty: "starting",
    acknowledging: "alone",
    barrier: undefined,
    standbyChanged: false,
    pendingInSyncSeq: undefined,
    progress: undefined,
    leaseProblem: "",
    mustRead: leaseRight === undefined,
    givingUp: undefined,
    degradedSinceMs: nowMs,
    degradedRecorded: false,
  };
}
