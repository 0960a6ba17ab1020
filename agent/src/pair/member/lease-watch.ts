import { isDeepStrictEqual } from "node:util";
import type { LeaseReading } from "../lease/lease-store.ts";
import { pairTimes } from "../pair-times.ts";
import type { LeaseWatch, Member } from "./member.ts";
import type { MemberTime } from "./member-event.ts";

/** Time that passed by the clock that saw more of it, ms: the monotonic one misses the time of a suspended machine. */
export const longestBetween = (from: MemberTime, to: MemberTime): number =>
  Math.max(to.nowMs - from.nowMs, to.wallMs - from.wallMs);

/**
 * [PA3] Watch after a successful reading. It goes on only while the readings follow each other without a failure or a long gap:
 * servers that were away meanwhile may have lost a renewal that they had acknowledged.
 */
export function watchReading(member: Member, reading: LeaseReading, sentAt: MemberTime, time: MemberTime): LeaseWatch {
  const { watch, readProblem, settings } = member;
  const gapless =
    watch !== undefined &&
    readProblem === "" &&
    longestBetween(watch.readAt, sentAt) <= pairTimes(settings.leaseMs).readGapMs;
  if (gapless && isDeepStrictEqual(watch.reading, reading)) return { ...watch, readAt: sentAt };
  return { reading, sinceMs: time.nowMs, readAt: sentAt, previous: gapless ? watch.reading : undefined };
}

/** True when this process saw the goodbye arrive: then it is not an old one that NATS went back to. */
export function sawGoodbyeArrive({ reading: { lease }, previous }: LeaseWatch): boolean {
  const before = previous?.lease;
  return (
    lease?.goodbye === true && before?.instance === lease.instance && before.term === lease.term && !before.goodbye
  );
}

/** True when this process saw the holder renew its lease. */
export const sawRenewal = ({ reading: { seq, lease }, previous }: LeaseWatch): boolean =>
  previous?.lease !== undefined && previous.lease.instance === lease?.instance && seq > previous.seq;

/** The watch while its last reading is recent enough to decide by it. */
export function freshWatch({ watch, readProblem, settings }: Member, time: MemberTime): LeaseWatch | undefined {
  if (watch === undefined || readProblem !== "") return undefined;
  return longestBetween(watch.readAt, time) <= pairTimes(settings.leaseMs).readGapMs ? watch : undefined;
}

/**
 * [PA2] Time until the lease counts as given up, because it was unchanged for its length and the margin, ms. Its writer
 * may have had a longer one.
 */
export function unchangedInMs(
  { settings }: Member,
  { sinceMs, reading }: Pick<LeaseWatch, "sinceMs"> & { readonly reading: LeaseReading | undefined },
  { nowMs }: MemberTime,
): number {
  const { challengeMs } = pairTimes(Math.max(settings.leaseMs, reading?.lease?.leaseMs ?? 0));
  return Math.max(0, sinceMs + challengeMs - nowMs);
}
