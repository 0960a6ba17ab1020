import type { Lease } from "../lease/lease-store.ts";
import { pairTimes } from "../pair-times.ts";
import type { LeaseClaim, Member, MemberStep } from "./member.ts";
import type { MemberAction } from "./member-action.ts";
import type { MemberTime } from "./member-event.ts";
import type { JournalMark } from "./member-facts.ts";

/** Step of a member that does `actions`. */
export const stepTo = (member: Member, ...actions: MemberAction[]): MemberStep => ({ member, actions });

/** Goes on from a step with the next one; the actions of both follow each other. */
export function continueStep({ member, actions }: MemberStep, next: (member: Member) => MemberStep): MemberStep {
  const further = next(member);
  return { member: further.member, actions: [...actions, ...further.actions] };
}

/** Changes the mark; it is stored only when it differs. */
export function markWith(member: Member, change: Partial<JournalMark>): MemberStep {
  const mark = { ...member.mark, ...change };
  const keys = Object.keys(change) as (keyof JournalMark)[];
  if (keys.every((key) => mark[key] === member.mark[key])) return stepTo(member);
  return stepTo({ ...member, mark }, { kind: "markInJournal", mark });
}

/** Asks for the lease when it is time and no question is open. */
export function readWhenDue(member: Member, { nowMs }: MemberTime): MemberStep {
  if (member.isReading || nowMs < member.nextReadMs) return stepTo(member);
  const { readMs } = pairTimes(member.settings.leaseMs);
  return stepTo({ ...member, isReading: true, nextReadMs: nowMs + readMs }, { kind: "readLease" });
}

/** Part of a lease that its writer decides about. */
type LeaseContent = Pick<Lease, "term" | "inSync" | "goodbye">;

/** Sends a lease that replaces the sequence number of `target`. */
export function sendLease(
  member: Member,
  { term, inSync, goodbye }: LeaseContent,
  target: { readonly seq: number; readonly stream: string },
  { wallMs }: MemberTime,
): MemberStep {
  const { member: name, instance, leaseMs } = member.settings;
  // No two leases of a process are equal, so that a reading tells which of them was written.
  const at = Math.max(Math.floor(wallMs), member.lastLeaseAt + 1);
  const lease: Lease = { member: name, instance, term, epoch: term, inSync, goodbye, at, leaseMs };
  const writing: LeaseClaim = { lease, expectedSeq: target.seq, stream: target.stream };
  return stepTo({ ...member, writing, lastLeaseAt: at }, { kind: "writeLease", lease, expectedSeq: target.seq });
}
