import { pairTimes } from "../pair-times.ts";
import { learnFromPeer } from "./following-member.ts";
import { fence } from "./leave-active.ts";
import { type Member, type MemberRefusal, type MemberStep, reachablePeer } from "./member.ts";
import type { MemberEvent, MemberTime } from "./member-event.ts";
import type { MemberFacts } from "./member-facts.ts";
import { laterRight, rightFrom } from "./right.ts";
import { continueStep, markWith, stepTo } from "./steps.ts";

/** [PA14] Reason to refuse a member with these facts; empty for the other member of the pair. The link answers it. */
export function peerProblem(member: Member, facts: MemberFacts): string {
  return describeStranger(member, facts) || describeMismatch(member, facts);
}

/** Reason why a member with these facts is not the other one of the pair; empty when it is. */
function describeStranger({ settings, peer }: Member, facts: MemberFacts): string {
  const { instance, member, realm } = settings;
  if (facts.instance === instance) return "the address of the other member leads to this member itself";
  if (facts.realm !== realm) return `the realm of ${facts.member} is ${facts.realm}, and that of ${member} is ${realm}`;
  if (facts.member === member) return `both members are named ${member}`;
  if (peer !== undefined && peer.facts.member !== facts.member)
    return `${facts.member} is a third member: the pair is ${member} and ${peer.facts.member}`;
  return "";
}

/** Difference of settings or versions for which neither member can follow the other; empty for none. */
function describeMismatch({ settings }: Member, facts: MemberFacts): string {
  const { member, schema, link = 1, leaseMs } = settings;
  const { link: theirLink = 1 } = facts;
  if (facts.leaseMs !== leaseMs)
    return `-pair-lease of ${facts.member} is ${facts.leaseMs} ms, and that of ${member} is ${leaseMs} ms`;
  if (facts.schema !== schema)
    return `the journal of ${facts.member} has schema version ${facts.schema}, and that of ${member} has ${schema}`;
  if (theirLink !== link)
    return `the link of ${facts.member} has version ${theirLink}, and that of ${member} has ${link}`;
  return "";
}

/** Goes on after the other member was heard. */
export function afterHearing(
  member: Member,
  { peer: facts, answers, promises }: Extract<MemberEvent, { kind: "heard" }>,
  time: MemberTime,
): MemberStep {
  const { nowMs: atMs } = time;
  const stranger = describeStranger(member, facts);
  if (stranger !== "") return afterRefusing(member, { kind: "stranger", why: stranger, atMs }, time);
  const mismatch = describeMismatch(member, facts);
  if (mismatch !== "") return afterRefusing(member, { kind: "mismatch", why: mismatch, atMs }, time);
  const isOtherProcess = member.peer !== undefined && member.peer.facts.instance !== facts.instance;
  const peer = { facts, heardAtMs: time.nowMs, provenAt: answers, linkUp: true };
  const heard: Member = { ...member, peer, linkProblem: "", refusal: undefined, peerRefusal: "" };
  return continueStep(learnTakeover(heard, facts), (learned) =>
    afterPeer(learned, { facts, answers, promises, isOtherProcess }, time),
  );
}

/** [PA58] Learns of the takeover of the greatest term that either member knows of. */
function learnTakeover(member: Member, { lastTakeover: theirs }: MemberFacts): MemberStep {
  const isLater = theirs !== undefined && theirs.term > (member.mark.lastTakeover?.term ?? 0);
  return isLater ? markWith(member, { lastTakeover: theirs }) : stepTo(member);
}

type HeardPeer = Pick<Extract<MemberEvent, { kind: "heard" }>, "answers" | "promises"> & {
  readonly facts: MemberFacts;
  /** True when the other member is another process than before. */
  readonly isOtherProcess: boolean;
};

function afterPeer(
  member: Member,
  { facts, answers, promises, isOtherProcess }: HeardPeer,
  time: MemberTime,
): MemberStep {
  const { phase, settings } = member;
  if (phase.kind !== "active") return learnFromPeer(member, facts, time);
  if (facts.mark.term > phase.term) return fence(member, phase, `${facts.member} knows of term ${facts.mark.term}`);
  const standbyChanged = phase.standbyChanged || (isOtherProcess && phase.acknowledging === "both");
  if (answers === undefined || !promises || facts.active)
    return stepTo({ ...member, phase: { ...phase, standbyChanged } });
  const promiseRight = laterRight(phase.promiseRight, rightFrom(answers, pairTimes(settings.leaseMs).promiseMs));
  return stepTo({ ...member, phase: { ...phase, standbyChanged, promiseRight, forcedRight: false } });
}

/** A refused member changes nothing where the pair works; otherwise this member may be the wrong one. */
function afterRefusing(member: Member, refusal: MemberRefusal, time: MemberTime): MemberStep {
  const isSettled = member.phase.kind !== "following" || reachablePeer(member, time) !== undefined;
  return stepTo(isSettled ? { ...member, peerRefusal: refusal.why } : { ...member, refusal });
}
