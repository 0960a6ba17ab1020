import { fail, ok } from "@realmwatch/shared/model/result";
import type { LeaseReading, LeaseWriting } from "../lease/lease-store.ts";
import { pairTimes } from "../pair-times.ts";
import { becomeActive, claim, mintTerm } from "./claim.ts";
import type { ClaimingPhase, LeaseWatch, Member, MemberStep, SentClaim } from "./member.ts";
import { reachablePeer } from "./member.ts";
import type { MemberTime } from "./member-event.ts";
import type { MemberFacts } from "./member-facts.ts";
import { rightFrom } from "./right.ts";
import { continueStep, markWith, readWhenDue, sendLease, stepTo } from "./steps.ts";
import { decideForced, decideTakeover, describeLeaseProblem } from "./takeover-rules.ts";

/** Does what a member that follows has to do after any event: it reads the lease and takes over where it may. */
export function pursueFollowing(member: Member, time: MemberTime): MemberStep {
  if (member.isStopping) return stepTo({ ...member, phase: { kind: "ended" } }, { kind: "exit" });
  if (member.writing !== undefined) return stepTo(member);
  return continueStep(answerSwitch(member, time), (answered) => {
    const decision = decideTakeover(answered, time);
    if (decision.kind === "go") return claim(answered, decision, time);
    // The goodbye of the other member is awaited.
    const isUrgent = reachablePeer(answered, time)?.givingUp !== undefined;
    return readWhenDue(isUrgent ? { ...answered, nextReadMs: time.nowMs } : answered, time);
  });
}

/** Answers a switch when the other member is active, or when that has taken too long. */
function answerSwitch(member: Member, time: MemberTime): MemberStep {
  const { switchAsked, gaveUp, peer, settings } = member;
  if (!switchAsked) return stepTo(member);
  const { challengeMs } = pairTimes(settings.leaseMs);
  const done = { ...member, switchAsked: false };
  if (gaveUp === undefined)
    return stepTo(done, {
      kind: "answerSwitch",
      answer: fail("the standby did not get everything in time; nothing changed"),
    });
  const hasTaken = (peer?.facts.active && peer.facts.mark.term > gaveUp.term) || member.mark.term > gaveUp.term;
  if (hasTaken) return stepTo(done, { kind: "answerSwitch", answer: ok(undefined) });
  if (time.nowMs - gaveUp.atMs <= challengeMs) return stepTo(member);
  return stepTo(done, { kind: "answerSwitch", answer: fail("the standby did not take the realm over") });
}

/** [PA12] Takes the realm over by force, or says why not. */
export function promote(member: Member, time: MemberTime): MemberStep {
  const decision = decideForced(member, time);
  if (decision.kind === "refuse") return stepTo(member, { kind: "answerPromote", answer: fail(decision.why) });
  const asked = { ...member, promoteAsked: true };
  const from = decision.watch?.reading.lease?.member ?? member.watch?.reading.lease?.member ?? "";
  if (decision.watch !== undefined) return claim(asked, { watch: decision.watch, reason: "forced", from }, time);
  const term = mintTerm(asked, time);
  const { stream, seq } = member.mark;
  return becomeActive(asked, { term, reason: "forced", from, stream, seq, leaseRight: undefined }, time);
}

/** Goes on after the answer to the lease of a takeover. */
export function afterClaim(
  member: Member,
  phase: ClaimingPhase,
  { claim: sent, writing }: { readonly claim: SentClaim; readonly writing: LeaseWriting },
  time: MemberTime,
): MemberStep {
  const { leaseMs } = pairTimes(member.settings.leaseMs);
  switch (writing.kind) {
    case "written": {
      const { stream, sentAt } = sent;
      return becomeActive(member, { ...phase, stream, seq: writing.seq, leaseRight: rightFrom(sentAt, leaseMs) }, time);
    }
    case "conflict":
      return endClaim(member, time, "another member was faster");
    default:
      // Only a reading tells: the lease may be written, or may still come.
      return stepTo({ ...member, unresolved: sent, nextReadMs: time.nowMs });
  }
}

function endClaim(member: Member, { nowMs }: MemberTime, why: string): MemberStep {
  const next: Member = {
    ...member,
    phase: { kind: "following" },
    unresolved: undefined,
    promoteAsked: false,
    nextReadMs: nowMs,
  };
  if (!member.promoteAsked) return stepTo(next);
  return stepTo(next, { kind: "answerPromote", answer: fail(`the lease was not written: ${why}; try again`) });
}

/** [PA15] Goes on after a reading that tells the outcome of a claim. Its right begins with a lease that is sent now. */
export function afterClaimReading(
  member: Member,
  phase: ClaimingPhase,
  reading: LeaseReading,
  time: MemberTime,
): MemberStep {
  const { lease, seq, stream } = reading;
  if (lease?.instance !== member.settings.instance || lease.term !== phase.term)
    return endClaim(member, time, "NATS did not answer");
  return sendLease(
    { ...member, unresolved: undefined },
    { term: phase.term, inSync: false, goodbye: false },
    { seq, stream },
    time,
  );
}

/** Learns from a lease that does not contradict the journal. */
export function learnFromReading(member: Member, watch: LeaseWatch): MemberStep {
  const { stream, seq, lease } = watch.reading;
  if (lease === undefined || describeLeaseProblem(member, watch) !== "") return stepTo(member);
  return markWith(member, { stream, seq, term: Math.max(lease.term, member.mark.term) });
}

/** [PA8] Learns the term and the stream of the lease from the active member, which may have made the lease anew. */
export function learnFromPeer(member: Member, { active, mark }: MemberFacts, { nowMs }: MemberTime): MemberStep {
  if (!active || mark.term < member.mark.term) return stepTo(member);
  const { stream, seq, term } = mark;
  const isNewer = term > member.mark.term || stream !== member.mark.stream || seq > member.mark.seq;
  const contradicts = member.watch !== undefined && describeLeaseProblem(member, member.watch) !== "";
  if (!isNewer && !contradicts) return stepTo(member);
  const learned = markWith(member, { stream, seq, term });
  if (learned.member.mark === member.mark) return learned;
  return { ...learned, member: { ...learned.member, learnedAtMs: nowMs } };
}
