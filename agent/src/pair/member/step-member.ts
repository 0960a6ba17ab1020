import { never } from "@realmwatch/shared/model/never";
import { pairTimes } from "../pair-times.ts";
import { afterReading, afterWriting } from "./active-lease.ts";
import { pursueActive } from "./active-member.ts";
import { afterDutyEvent } from "./duty-events.ts";
import { afterClaim, afterClaimReading, learnFromReading, promote, pursueFollowing } from "./following-member.ts";
import { afterHearing } from "./hearing.ts";
import { watchReading } from "./lease-watch.ts";
import type { Member, MemberStep } from "./member.ts";
import type { MemberEvent, MemberTime } from "./member-event.ts";
import { requestStop, requestSwitch } from "./requests.ts";
import { continueStep, markWith, readWhenDue, stepTo } from "./steps.ts";

/** Goes on after an event. Pure: `time` is read from both clocks just before the call. */
export function stepMember(member: Member, event: MemberEvent, time: MemberTime): MemberStep {
  if (member.phase.kind === "ended") return stepTo(member);
  return continueStep(afterEvent(member, event, time), (next) => pursue(next, time));
}

/** Does what is due in the phase that an event has led to. */
function pursue(member: Member, time: MemberTime): MemberStep {
  const { phase } = member;
  switch (phase.kind) {
    case "following":
      return pursueFollowing(member, time);
    case "claiming":
      return member.writing === undefined ? readWhenDue(member, time) : stepTo(member);
    case "active": {
      const step = pursueActive(member, phase, time);
      return step.member.phase.kind === "following" ? continueStep(step, (next) => pursueFollowing(next, time)) : step;
    }
    case "ending":
    case "ended":
      return stepTo(member);
    default:
      return never(phase);
  }
}

function afterEvent(member: Member, event: MemberEvent, time: MemberTime): MemberStep {
  switch (event.kind) {
    case "tick":
      return stepTo(member);
    case "leaseRead":
      return afterLeaseRead(member, event, time);
    case "leaseWritten":
      return afterLeaseWritten(member, event, time);
    case "heard":
      return afterHearing(member, event, time);
    case "linkLost":
      return stepTo({ ...member, linkProblem: event.why, peer: member.peer && { ...member.peer, linkUp: false } });
    case "promised":
      return stepTo({ ...member, promisedUntilMs: endOfPromise(member, time) });
    case "followedAll":
    case "snapshotBegun":
    case "followed":
    case "progress":
      return afterJournalEvent(member, event);
    case "dutyStarted":
    case "dutyFailed":
    case "dutyStopped":
      return afterDutyEvent(member, event, time);
    case "epochHeard":
      return stepTo({ ...member, greatestEpoch: Math.max(member.greatestEpoch, event.epoch) });
    case "switchRequested":
      return requestSwitch(member, time);
    case "promoteRequested":
      return promote(member, time);
    case "stopRequested":
      return requestStop(member, time);
    case "refused":
      return member.phase.kind === "following"
        ? stepTo({ ...member, refusal: { kind: "stranger", why: event.why, atMs: time.nowMs } })
        : stepTo(member);
    default:
      return never(event);
  }
}

/** [PA4] A promise is kept for the length of the lease and the margin, counted from before it is sent. */
function endOfPromise({ settings }: Member, { nowMs }: MemberTime): number {
  const { challengeMs } = pairTimes(settings.leaseMs);
  return nowMs + challengeMs;
}

type EventOf<K extends MemberEvent["kind"]> = Extract<MemberEvent, { kind: K }>;

function afterLeaseRead(member: Member, { sentAt, reading }: EventOf<"leaseRead">, time: MemberTime): MemberStep {
  if (!reading.ok) {
    const unreadableSinceMs = member.unreadableSinceMs ?? time.nowMs;
    return stepTo({ ...member, isReading: false, readProblem: reading.error, unreadableSinceMs });
  }
  // It may be older than the last write.
  if (member.writing !== undefined || sentAt.nowMs < member.writtenAtMs)
    return stepTo({ ...member, isReading: false, nextReadMs: time.nowMs });
  const watch = watchReading(member, reading.value, sentAt, time);
  const read: Member = { ...member, isReading: false, watch, readProblem: "", unreadableSinceMs: undefined };
  const { phase } = member;
  if (phase.kind === "active") return afterReading(read, phase, reading.value, time);
  return continueStep(learnFromReading(read, watch), (learned) =>
    phase.kind === "claiming"
      ? afterClaimReading(learned, phase, reading.value, time)
      : stepTo({ ...learned, unresolved: undefined }),
  );
}

function afterLeaseWritten(member: Member, { sentAt, writing }: EventOf<"leaseWritten">, time: MemberTime): MemberStep {
  if (member.writing === undefined) return stepTo(member);
  const claim = { ...member.writing, sentAt };
  const answered: Member = { ...member, writing: undefined, writtenAtMs: time.nowMs };
  const { phase } = member;
  if (phase.kind === "claiming") return afterClaim(answered, phase, { claim, writing }, time);
  if (phase.kind === "active") return afterWriting(answered, phase, { claim, writing }, time);
  // It was sent before the member was fenced: the next reading shows what became of it.
  return stepTo({ ...answered, nextReadMs: time.nowMs });
}

function afterJournalEvent(
  member: Member,
  event: EventOf<"followedAll" | "snapshotBegun" | "followed" | "progress">,
): MemberStep {
  const { phase, peer, mark } = member;
  switch (event.kind) {
    case "followedAll": {
      const isOfActive = peer?.facts.active && peer.facts.mark.term === event.term && mark.term === event.term;
      const isFollowing = phase.kind === "following" && isOfActive;
      return isFollowing
        ? markWith({ ...member, position: event.position }, { syncedTerm: event.term })
        : stepTo({ ...member, position: event.position });
    }
    case "snapshotBegun":
      return markWith(member, { syncedTerm: 0, claimedTerm: 0 });
    case "followed":
      return stepTo({ ...member, position: event.position });
    case "progress": {
      const { progress } = event;
      const moved = { ...member, position: progress.position };
      if (phase.kind !== "active") return stepTo(moved);
      const isJoining = phase.acknowledging === "both" && phase.barrier === undefined;
      const barrier = isJoining ? progress.position : phase.barrier;
      return stepTo({ ...moved, phase: { ...phase, progress, barrier } });
    }
    default:
      return never(event);
  }
}
