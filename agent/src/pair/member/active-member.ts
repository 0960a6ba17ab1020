import { standbySilenceMs } from "../pair-times.ts";
import { keepLease, sendActiveLease } from "./active-lease.ts";
import { type ActivePhase, type Member, type MemberStep, reachablePeer } from "./member.ts";
import type { MemberAction } from "./member-action.ts";
import type { MemberTime } from "./member-event.ts";
import { continueStep, stepTo } from "./steps.ts";

/** Time for which a switch or goodbye waits until the standby has everything. */
const handoverMs = 4_000;
/** Most that the standby may lack, as age of its oldest missing change, when groups begin to wait for its disk. */
const joinLagMs = 1_000;

/** Does what an active member has to do after any event. */
export function pursueActive(member: Member, phase: ActivePhase, time: MemberTime): MemberStep {
  return continueStep(followStandby(member, phase, time), (followed) => {
    if (followed.phase.kind !== "active") return stepTo(followed);
    return continueStep(recordDegradation(followed, followed.phase, time), (next) => pursueLease(next, time));
  });
}

function pursueLease(member: Member, time: MemberTime): MemberStep {
  const { phase } = member;
  if (phase.kind !== "active") return stepTo(member);
  const inSync = shouldBeInSync(member, phase, time);
  if (phase.givingUp === undefined || phase.duty !== "stopped") return keepLease(member, phase, inSync, time);
  return giveUp(member, phase, time);
}

/** True while the standby follows this term closely enough to have everything that is acknowledged. */
function isStandbyPresent(member: Member, phase: ActivePhase, time: MemberTime): boolean {
  const peer = reachablePeer(member, time);
  const { progress } = phase;
  if (peer === undefined || peer.active || peer.mark.syncedTerm !== phase.term || progress === undefined) return false;
  return !phase.standbyChanged && lagMs(phase, time) <= standbySilenceMs;
}

/** Age of the oldest group that the standby lacks, ms. */
export const lagMs = ({ progress }: ActivePhase, { nowMs }: MemberTime): number =>
  progress?.laggingSinceMs === undefined ? 0 : Math.max(0, nowMs - progress.laggingSinceMs);

/** Value that the lease should have: true once the standby has all that was acknowledged with one disk. */
function shouldBeInSync(member: Member, phase: ActivePhase, time: MemberTime): boolean {
  const { acknowledging, barrier, progress, inSync } = phase;
  if (acknowledging === "alone" || !isStandbyPresent(member, phase, time)) return false;
  return inSync || (barrier !== undefined && progress !== undefined && progress.standbyPosition >= barrier);
}

/**
 * [PA7] Decides how many disks a group needs. One is enough only while the lease is known to say that the standby lacks
 * something, and no lease is on its way that says otherwise.
 */
function followStandby(member: Member, phase: ActivePhase, time: MemberTime): MemberStep {
  const isPresent = isStandbyPresent(member, phase, time);
  if (phase.acknowledging === "alone") {
    if (!isPresent || lagMs(phase, time) > joinLagMs) return stepTo(member);
    return acknowledge(member, { ...phase, acknowledging: "both", barrier: undefined });
  }
  const mayBeInSync = phase.inSync || phase.pendingInSyncSeq !== undefined;
  if (isPresent || mayBeInSync || member.writing?.lease.inSync) return stepTo(member);
  return acknowledge(member, { ...phase, acknowledging: "alone", barrier: undefined, standbyChanged: false });
}

const acknowledge = (member: Member, phase: ActivePhase): MemberStep =>
  stepTo({ ...member, phase }, { kind: "acknowledge", alone: phase.acknowledging === "alone" });

/** Records that the realm would not survive this member: at once when that began, after a takeover a lease later. */
function recordDegradation(member: Member, phase: ActivePhase, { nowMs }: MemberTime): MemberStep {
  const { settings, peer } = member;
  const { term, degradedSinceMs, degradedRecorded } = phase;
  const names = { from: settings.member, to: peer?.facts.member ?? "", term };
  const record = (kind: "PAIR_DEGRADED" | "PAIR_RECOVERED", reason: string): MemberAction => ({
    kind: "record",
    record: { kind, ...names, reason },
  });
  if (phase.inSync) {
    const next = { ...phase, degradedSinceMs: undefined, degradedRecorded: false };
    const actions = degradedRecorded ? [record("PAIR_RECOVERED", "the standby has everything again")] : [];
    return stepTo({ ...member, phase: next }, ...actions);
  }
  const isNew = degradedSinceMs === undefined;
  const sinceMs = degradedSinceMs ?? nowMs;
  if (degradedRecorded || (!isNew && nowMs - sinceMs <= settings.leaseMs))
    return stepTo({ ...member, phase: { ...phase, degradedSinceMs: sinceMs } });
  const reason = describeDegradation(member, phase);
  const next = { ...phase, degradedSinceMs: sinceMs, degradedRecorded: true };
  return stepTo({ ...member, phase: next }, record("PAIR_DEGRADED", reason));
}

/** Sentence that says why the standby is not in sync. */
export function describeDegradation({ peer, linkProblem, peerRefusal }: Member, phase: ActivePhase): string {
  if (peerRefusal !== "") return `the other member is refused: ${peerRefusal}`;
  if (peer === undefined) return "the other member was not heard yet";
  const name = peer.facts.member;
  if (!peer.linkUp) return `${name} is away: ${linkProblem}`;
  if (peer.facts.mark.syncedTerm !== phase.term) return `${name} does not have the whole journal yet`;
  return `${name} lacks changes`;
}

/** [PA11] Writes the goodbye after the duty has ended; a switch only when the standby has everything. */
function giveUp(member: Member, phase: ActivePhase, time: MemberTime): MemberStep {
  const { givingUp, inSync, progress } = phase;
  if (givingUp === undefined || member.writing !== undefined) return stepTo(member);
  const isOver = time.nowMs - givingUp.sinceMs > handoverMs;
  if (isOver && member.isStopping) return stepTo({ ...member, phase: { kind: "following" } });
  if (member.unresolved !== undefined || phase.mustRead || phase.leaseProblem !== "")
    return isOver && !givingUp.goodbyeSent ? abandon(member) : keepLease(member, phase, inSync, time);
  const hasAll =
    isStandbyPresent(member, phase, time) && progress !== undefined && progress.standbyPosition >= member.position;
  if (inSync && hasAll) return sayGoodbye(member, phase, time);
  const isJoined = inSync || shouldBeInSync(member, phase, time);
  const isPatient = !isOver && isJoined && time.nowMs - givingUp.sinceMs <= standbySilenceMs;
  if (givingUp.why === "goodbye")
    return isPatient ? keepLease(member, phase, isJoined, time) : sayGoodbye(member, phase, time);
  if (isOver && !givingUp.goodbyeSent) return abandon(member);
  return keepLease(member, phase, shouldBeInSync(member, phase, time), time);
}

/** Gives a switch up before its goodbye was sent: the member takes its own lease again in a new term. */
const abandon = (member: Member): MemberStep => stepTo({ ...member, phase: { kind: "following" } });

function sayGoodbye(member: Member, phase: ActivePhase, time: MemberTime): MemberStep {
  const givingUp = phase.givingUp && { ...phase.givingUp, goodbyeSent: true };
  return sendActiveLease(member, { ...phase, givingUp }, { inSync: phase.inSync, goodbye: true }, time);
}
