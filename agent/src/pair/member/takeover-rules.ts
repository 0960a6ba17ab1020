import type { TakeoverReason } from "@realmwatch/shared/model/pair-status";
import type { Lease } from "../lease/lease-store.ts";
import { standbySilenceMs } from "../pair-times.ts";
import { freshWatch, longestBetween, sawGoodbyeArrive, unchangedInMs } from "./lease-watch.ts";
import { type LeaseWatch, type Member, reachablePeer } from "./member.ts";
import type { MemberTime } from "./member-event.ts";

/** Decision about a takeover by itself. `needsPerson`: waiting alone does not end it. */
type TakeoverDecision =
  | { readonly kind: "go"; readonly reason: TakeoverReason; readonly from: string; readonly watch: LeaseWatch }
  | { readonly kind: "wait"; readonly why: string; readonly needsPerson: boolean };

const wait = (why: string): TakeoverDecision => ({ kind: "wait", why, needsPerson: false });
const needsPerson = (why: string): TakeoverDecision => ({ kind: "wait", why, needsPerson: true });
const inSeconds = (ms: number): string => `${Math.ceil(ms / 1_000)} s`;

/**
 * [PA5] Decides about a member that follows: may it take the realm over now, and why not. [PA14] One whose version or
 * -pair-lease is not that of the other member does not follow it, and takes back what is its own as with a cut link.
 */
export function decideTakeover(member: Member, time: MemberTime): TakeoverDecision {
  const { settings, refusal, isStopping, retryAtMs, dutyProblem, readProblem, unresolved } = member;
  if (refusal?.kind === "stranger") return needsPerson(refusal.why);
  if (isStopping) return wait("the process is about to end");
  if (time.nowMs < retryAtMs) return wait(`the agent did not start: ${dutyProblem}`);
  if (unresolved !== undefined) return wait("a lease was sent, and it is unknown if it was written");
  const watch = freshWatch(member, time);
  if (watch === undefined) return wait(`the lease cannot be read: ${readProblem || "the last reading is too old"}`);
  // A reading from before a newer lease was written, or heard of, is outdated: it does not contradict that lease.
  if (watch.readAt.nowMs < Math.max(member.writtenAtMs, member.learnedAtMs))
    return wait("the lease is being read again");
  const { lease } = watch.reading;
  if (refusal !== undefined && lease?.member !== settings.member) return needsPerson(refusal.why);
  if (lease === undefined) return decideFirstStart(member, watch, time);
  const problem = describeLeaseProblem(member, watch);
  if (problem !== "") return needsPerson(problem);
  const peer = member.peer?.facts;
  if (peer !== undefined && peer.mark.term > lease.term)
    return wait(`${peer.member} knows of term ${peer.mark.term}, and the lease says ${lease.term}`);
  if (lease.member === settings.member) return decideOwnLease(member, watch, lease, time);
  return decideOtherLease(member, watch, lease, time);
}

/** Contradiction between a reading and what the journal knows: then it promotes no member. Empty when it does not. */
export function describeLeaseProblem({ mark, peer, settings }: Member, { reading }: LeaseWatch): string {
  const { stream, seq, lease } = reading;
  const known = `this journal knows sequence ${mark.seq} and term ${mark.term}`;
  if (lease === undefined && mark.term > 0) return `the stream SVC_LEASE has no lease of the realm: ${known}`;
  if (lease === undefined) return seq > 0 ? "the lease in the stream SVC_LEASE cannot be read" : "";
  if (mark.stream !== "" && stream !== mark.stream)
    return `the stream SVC_LEASE was made anew: ${known} of another one`;
  if (seq < mark.seq || lease.term < mark.term)
    return `the lease went back to sequence ${seq} and term ${lease.term}: ${known}`;
  if (lease.member !== settings.member && peer !== undefined && lease.member !== peer.facts.member)
    return `${lease.member} holds the lease, and the other member is ${peer.facts.member}`;
  return "";
}

/** [PA10] First start: the longer journal by agreement over the link, alone only with a journal that is not empty. */
function decideFirstStart(member: Member, watch: LeaseWatch, time: MemberTime): TakeoverDecision {
  const { settings, position, peer } = member;
  const problem = describeLeaseProblem(member, watch);
  if (problem !== "") return needsPerson(problem);
  const go: TakeoverDecision = { kind: "go", reason: "first", from: "", watch };
  if (peer !== undefined && (peer.facts.mark.term > 0 || peer.facts.active))
    return needsPerson(`the lease is gone: ${peer.facts.member} knows of term ${peer.facts.mark.term}`);
  const reachable = reachablePeer(member, time);
  if (reachable !== undefined && peer !== undefined) {
    if (peer.provenAt === undefined || longestBetween(peer.provenAt, time) > standbySilenceMs)
      return wait(`${reachable.member} is asked`);
    const isLonger = position > reachable.position;
    const isFirstOfEqual = position === reachable.position && settings.member < reachable.member;
    return isLonger || isFirstOfEqual ? go : wait(`${reachable.member} begins: its journal is the longer one`);
  }
  const leftMs = unchangedInMs(member, watch, time);
  if (leftMs > 0) return wait(`the other member is not heard; this one begins alone in ${inSeconds(leftMs)}`);
  return position > 0 ? go : needsPerson("the other member is not heard, and the journal of this one is empty");
}

/** Lease of this process, or of an earlier one of this member. */
function decideOwnLease(member: Member, watch: LeaseWatch, lease: Lease, time: MemberTime): TakeoverDecision {
  const { settings, mark } = member;
  const isKnown = lease.term === mark.claimedTerm || lease.term === mark.syncedTerm;
  if (!isKnown && lease.instance !== settings.instance)
    return needsPerson(`the lease is of this member's term ${lease.term}, and its journal is another one`);
  const promiseMs = member.promisedUntilMs - time.nowMs;
  const from = lease.member;
  // A goodbye without a standby in sync: no member can have taken over since, and none was promised anything.
  if (lease.goodbye && !lease.inSync && watch.reading.seq === mark.seq)
    return { kind: "go", reason: "goodbye", from, watch };
  if (promiseMs > 0) return wait(`the other member has the promise of this one for ${inSeconds(promiseMs)}`);
  const other = reachablePeer(member, time);
  if (lease.inSync && other?.mark.syncedTerm === lease.term && other.position > member.position)
    return wait(`${other.member} has the longer journal of term ${lease.term}`);
  const leftMs = unchangedInMs(member, watch, time);
  if (leftMs > 0 && (lease.instance !== settings.instance || lease.goodbye || lease.inSync))
    return wait(`the lease of an earlier process of this member ends in ${inSeconds(leftMs)}`);
  return { kind: "go", reason: "expired", from, watch };
}

/** Lease of the other member. */
function decideOtherLease(member: Member, watch: LeaseWatch, lease: Lease, time: MemberTime): TakeoverDecision {
  const { mark, peer } = member;
  const from = lease.member;
  const reachable = reachablePeer(member, time);
  const leftMs = unchangedInMs(member, watch, time);
  if (!lease.inSync || mark.syncedTerm !== lease.term) {
    const why = lease.inSync
      ? "this journal was never in sync in its term"
      : "its lease says that this member lacks changes";
    const unused = lease.goodbye || leftMs === 0;
    return unused && !reachable?.active
      ? needsPerson(`${from} was active, and ${why}`)
      : wait(`${from} is active, and ${why}`);
  }
  if (lease.goodbye && sawGoodbyeArrive(watch)) {
    const isSwitch = peer?.facts.member === from && peer.facts.givingUp === "switch";
    return { kind: "go", reason: isSwitch ? "switch" : "goodbye", from, watch };
  }
  if (!lease.goodbye && reachable?.active) return wait(`${from} is active`);
  const promiseMs = member.promisedUntilMs - time.nowMs;
  if (promiseMs > 0) return wait(`${from} has the promise of this member for ${inSeconds(promiseMs)}`);
  if (leftMs > 0) return wait(`the lease of ${from} ends in ${inSeconds(leftMs)}`);
  return { kind: "go", reason: lease.goodbye ? "goodbye" : "expired", from, watch };
}

/** Decision about a takeover by force: a sentence of refusal, or the lease that is replaced; none while NATS is away. */
type ForcedDecision =
  | { readonly kind: "refuse"; readonly why: string }
  | { readonly kind: "go"; readonly watch: LeaseWatch | undefined };

/** [PA12] Force replaces what is missing in the journal or the lease, and never the time that another right may last. */
export function decideForced(member: Member, time: MemberTime): ForcedDecision {
  const refuse = (why: string): ForcedDecision => ({ kind: "refuse", why });
  const { refusal, phase, isStopping, settings } = member;
  if (refusal !== undefined && time.nowMs - refusal.atMs <= standbySilenceMs)
    return refuse(`this member takes no part while the other one runs: ${refusal.why}`);
  if (phase.kind === "active" && phase.givingUp === undefined) return refuse("this member is active already");
  if (isStopping || phase.kind !== "following" || member.unresolved !== undefined)
    return refuse("this member is about to change its role: try again");
  const reachable = reachablePeer(member, time);
  if (reachable?.active) return refuse(`${reachable.member} can be reached and is active`);
  const promiseMs = member.promisedUntilMs - time.nowMs;
  if (promiseMs > 0)
    return refuse(`the other member has the promise of this one: try again in ${inSeconds(promiseMs)}`);
  const watch = freshWatch(member, time);
  const sinceMs = watch?.sinceMs ?? member.unreadableSinceMs ?? time.nowMs;
  const leftMs = unchangedInMs(member, { sinceMs, reading: watch?.reading }, time);
  if (leftMs === 0 || (watch !== undefined && sawGoodbyeArrive(watch))) return { kind: "go", watch };
  const holder = watch?.reading.lease?.member;
  const isOther = holder !== undefined && holder !== settings.member;
  return refuse(
    `${isOther ? `${holder} renewed its lease` : "another member may be active"}: try again in ${inSeconds(leftMs)}`,
  );
}
