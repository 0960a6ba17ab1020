import { pairTimes } from "../pair-times.ts";
import { learnFromPeer } from "./following-member.ts";
import { fence } from "./leave-active.ts";
import { type Member, type MemberStep, reachablePeer } from "./member.ts";
import type { MemberEvent, MemberTime } from "./member-event.ts";
import type { MemberFacts } from "./member-facts.ts";
import { laterRight, rightFrom } from "./right.ts";
import { stepTo } from "./steps.ts";

/** [PA14] Reason to refuse a member with these facts; empty for the other member of the pair. The link answers it. */
export function peerProblem({ settings, peer }: Member, facts: MemberFacts): string {
  const { instance, member, realm, schema, leaseMs } = settings;
  if (facts.instance === instance) return "the address of the other member leads to this member itself";
  if (facts.realm !== realm) return `the realm of ${facts.member} is ${facts.realm}, and that of ${member} is ${realm}`;
  if (facts.member === member) return `both members are named ${member}`;
  if (facts.leaseMs !== leaseMs)
    return `-pair-lease of ${facts.member} is ${facts.leaseMs} ms, and that of ${member} is ${leaseMs} ms`;
  if (facts.schema !== schema)
    return `the journal of ${facts.member} has schema version ${facts.schema}, and that of ${member} has ${schema}`;
  if (peer !== undefined && peer.facts.member !== facts.member)
    return `${facts.member} is a third member: the pair is ${member} and ${peer.facts.member}`;
  return "";
}

/** Goes on after the other member was heard. */
export function afterHearing(
  member: Member,
  { peer: facts, answers, promises }: Extract<MemberEvent, { kind: "heard" }>,
  time: MemberTime,
): MemberStep {
  const problem = peerProblem(member, facts);
  if (problem !== "") return afterStranger(member, problem, time);
  const peer = { facts, heardAtMs: time.nowMs, provenAt: answers, linkUp: true };
  const heard: Member = {
    ...member,
    peer,
    linkProblem: "",
    refusal: "",
    peerRefusal: "",
    ...laterTakeover(member, facts),
  };
  const { phase, settings } = member;
  if (phase.kind !== "active") return learnFromPeer(heard, facts, time);
  if (facts.mark.term > phase.term) return fence(heard, phase, `${facts.member} knows of term ${facts.mark.term}`);
  const hasChanged = member.peer !== undefined && member.peer.facts.instance !== facts.instance;
  const standbyChanged = phase.standbyChanged || (hasChanged && phase.acknowledging === "both");
  if (answers === undefined || !promises || facts.active)
    return stepTo({ ...heard, phase: { ...phase, standbyChanged } });
  const promiseRight = laterRight(phase.promiseRight, rightFrom(answers, pairTimes(settings.leaseMs).promiseMs));
  return stepTo({ ...heard, phase: { ...phase, standbyChanged, promiseRight, forcedRight: false } });
}

/** Takeover of the greatest term that either member knows of. */
const laterTakeover = (
  { lastTakeover: own }: Member,
  { lastTakeover: theirs }: MemberFacts,
): Pick<Member, "lastTakeover"> => ({
  lastTakeover: (theirs?.term ?? 0) > (own?.term ?? 0) ? theirs : own,
});

/** A stranger changes nothing where the pair works; otherwise this member may be the wrong one. */
function afterStranger(member: Member, problem: string, time: MemberTime): MemberStep {
  const isSettled = member.phase.kind !== "following" || reachablePeer(member, time) !== undefined;
  return stepTo(isSettled ? { ...member, peerRefusal: problem } : { ...member, refusal: problem });
}
