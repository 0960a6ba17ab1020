import { pairTimes } from "../pair-times.ts";
import type { Member, Right } from "./member.ts";
import type { MemberTime } from "./member-event.ts";

/** Distance of the wall clock from the monotonic clock, ms: it grows while a machine is suspended. */
const wallAheadOf = ({ nowMs, wallMs }: MemberTime): number => wallMs - nowMs;

/** Right for one length of the lease, counted from before its witness was asked. */
export const rightFrom = (from: MemberTime, leaseMs: number): Right => ({
  untilMs: from.nowMs + leaseMs,
  wallAheadMs: wallAheadOf(from),
});

/** The right that ends later. */
export const laterRight = (a: Right | undefined, b: Right): Right => (a !== undefined && a.untilMs > b.untilMs ? a : b);

/** [PA3] Time left of a right, ms; 0 after its end, and after the machine was suspended for longer than half of the margin. */
function remainingOf(right: Right | undefined, time: MemberTime, marginMs: number): number {
  if (right === undefined || wallAheadOf(time) - right.wallAheadMs > marginMs / 2) return 0;
  return Math.max(0, right.untilMs - time.nowMs);
}

/** Time left of both witnesses, ms. */
export function remainingRights({ phase, settings }: Member, time: MemberTime): { leaseMs: number; promiseMs: number } {
  if (phase.kind !== "active") return { leaseMs: 0, promiseMs: 0 };
  const { marginMs } = pairTimes(settings.leaseMs);
  return {
    leaseMs: remainingOf(phase.leaseRight, time, marginMs),
    promiseMs: remainingOf(phase.promiseRight, time, marginMs),
  };
}

/**
 * Time for which the member certainly has the right to act, ms; 0 without it. To be asked with both clocks read just
 * before acting: a frozen or suspended member finds its right gone before it has handled any event.
 */
export function rightRemainingMs(member: Member, time: MemberTime): number {
  const { phase, settings } = member;
  if (phase.kind !== "active" || phase.givingUp?.goodbyeSent) return 0;
  const { leaseMs, promiseMs } = remainingRights(member, time);
  return Math.max(leaseMs, promiseMs, phase.forcedRight ? settings.leaseMs : 0);
}
