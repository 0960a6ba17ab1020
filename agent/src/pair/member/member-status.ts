import type { PairRole, PairStatus } from "@realmwatch/shared/model/pair-status";
import { pairTimes } from "../pair-times.ts";
import { describeDegradation, lagMs } from "./active-member.ts";
import { freshWatch, unchangedInMs } from "./lease-watch.ts";
import { type ActivePhase, type Member, reachablePeer } from "./member.ts";
import type { MemberTime } from "./member-event.ts";
import type { MemberFacts } from "./member-facts.ts";
import { remainingRights, rightRemainingMs } from "./right.ts";
import { decideTakeover } from "./takeover-rules.ts";

/** Knowledge of a member about its pair, in the words of `PairStatus`. */
type MemberStatus = Omit<PairStatus, "self" | "leaseMs" | "marginMs" | "sinceMs" | "documentsDiffer" | "asOfMs"> & {
  /** True when waiting alone does not end the state: an operator has to act. */
  readonly needsPerson: boolean;
};

/** Facts that a member sends to the other one. */
export function factsOf(member: Member, time: MemberTime): MemberFacts {
  const { settings, phase, gaveUp, mark, position } = member;
  const isActive = phase.kind === "active" && phase.givingUp?.goodbyeSent !== true;
  const givingUp = phase.kind === "active" ? phase.givingUp?.why : gaveUp?.why;
  return {
    ...settings,
    role: roleOf(member, time),
    active: isActive,
    givingUp,
    mark,
    position,
    lastTakeover: mark.lastTakeover,
  };
}

/**
 * [PA4] True when the member may promise not to promote itself. Never while a claim of its own may still be written, and
 * only to an active member whose term is in its journal.
 */
export function mayPromise(member: Member, time: MemberTime): boolean {
  const { phase, mark, watch, settings, unresolved, writing, isStopping, refusal } = member;
  const peer = reachablePeer(member, time);
  if (phase.kind !== "following" || unresolved !== undefined || writing !== undefined) return false;
  if (isStopping || refusal !== undefined || peer === undefined) return false;
  const isOwnClaim = watch?.reading.lease?.instance === settings.instance && watch.reading.lease.term > peer.mark.term;
  return (
    peer.active && peer.givingUp === undefined && peer.mark.term > 0 && peer.mark.term === mark.term && !isOwnClaim
  );
}

/** Role of a member. */
function roleOf(member: Member, time: MemberTime): PairRole {
  const { phase, refusal } = member;
  if (phase.kind === "active") return rightRemainingMs(member, time) > 0 ? "active" : "held";
  if (refusal !== undefined) return "refused";
  return phase.kind === "following" && isFollowingActive(member, time) ? "standby" : "waiting";
}

const isFollowingActive = (member: Member, time: MemberTime): boolean => reachablePeer(member, time)?.active === true;

/** State of the pair as this member knows it. */
export function memberStatusOf(member: Member, time: MemberTime): MemberStatus {
  const { phase } = member;
  const { lastTakeover } = member.mark;
  const role = roleOf(member, time);
  if (phase.kind === "active") return { ...activeStatus(member, phase, time), role, lastTakeover };
  return { ...passiveStatus(member, time), role, lastTakeover };
}

function activeStatus(
  member: Member,
  phase: ActivePhase,
  time: MemberTime,
): Omit<MemberStatus, "role" | "lastTakeover"> {
  const { leaseMs, promiseMs } = remainingRights(member, time);
  const isHeld = rightRemainingMs(member, time) === 0;
  const isLost = phase.leaseProblem !== "";
  const degradation = phase.inSync ? "" : describeDegradation(member, phase);
  const lostLease = leaseMs === 0 ? describeReadProblem(member) : "";
  return {
    active: member.settings.member,
    standby: member.peer?.facts.member ?? "",
    inSync: phase.inSync,
    degraded: !phase.inSync || isHeld,
    lagMs: lagMs(phase, time),
    term: phase.term,
    leaseRemainingMs: leaseMs,
    promiseRemainingMs: promiseMs,
    reason: isHeld || isLost ? describeHeld(member, phase) : joinReasons(lostLease, degradation),
    needsPerson: isHeld && isLost,
  };
}

function describeHeld(member: Member, phase: ActivePhase): string {
  if (phase.leaseProblem !== "") return phase.leaseProblem;
  if (phase.givingUp !== undefined) return "the realm is handed over";
  const link = member.linkProblem === "" ? "" : `no promise of the other member: ${member.linkProblem}`;
  return joinReasons(describeReadProblem(member), link) || "the right to act has ended; the lease is being renewed";
}

const describeReadProblem = ({ readProblem }: Member): string =>
  readProblem === "" ? "" : `the lease cannot be renewed: ${readProblem}`;
const joinReasons = (...reasons: readonly string[]): string =>
  [...new Set(reasons)].filter((reason) => reason !== "").join("; ");

function passiveStatus(member: Member, time: MemberTime): Omit<MemberStatus, "role" | "lastTakeover"> {
  const { mark, peer, settings, promisedUntilMs } = member;
  const watch = freshWatch(member, time);
  const lease = watch?.reading.lease;
  const reachable = reachablePeer(member, time);
  const active = reachable?.active
    ? reachable.member
    : lease !== undefined && !lease.goodbye && watch !== undefined && unchangedInMs(member, watch, time) > 0
      ? lease.member
      : "";
  const inSync = active !== "" && lease?.inSync === true && lease.term === mark.syncedTerm;
  const decision = decideTakeover(member, time);
  const whyNot = decision.kind === "wait" ? decision.why : "";
  const reason = member.refusal?.kind === "mismatch" ? joinReasons(member.refusal.why, whyNot) : whyNot;
  const isWell = inSync && reachable?.active === true;
  const { marginMs } = pairTimes(settings.leaseMs);
  return {
    active,
    standby: active === settings.member ? (peer?.facts.member ?? "") : settings.member,
    inSync,
    degraded: !isWell,
    lagMs: 0,
    term: mark.term,
    leaseRemainingMs:
      watch === undefined || lease === undefined ? 0 : Math.max(0, unchangedInMs(member, watch, time) - marginMs),
    promiseRemainingMs: Math.max(0, promisedUntilMs - time.nowMs - marginMs),
    reason: isWell ? "" : reason,
    needsPerson: decision.kind === "wait" && decision.needsPerson,
  };
}
