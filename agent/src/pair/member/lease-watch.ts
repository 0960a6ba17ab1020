import { isDeepStrictEqual } from "node:util";
import type { LeaseReading } from "../lease/lease-store.ts";
import { type LeaseWatch, type Member, pairTiming } from "./member.ts";
import type { MemberTime } from "./member-event.ts";

/**
 * Watch after a successful reading. It goes on only while the readings follow each other without a failure or a long gap:
 * servers that were away meanwhile may have lost a renewal that they had acknowledged.
 */
export function watchReading(member: Member, reading: LeaseReading, sentAt: MemberTime, time: MemberTime): LeaseWatch {
  const { watch, readProblem, settings } = member;
  const gapless =
    watch !== undefined &&
    readProblem === "" &&
    sentAt.nowMs - watch.readAtMs <= pairTiming(settings.leaseMs).readGapMs;
  if (!gapless) return { reading, sinceMs: time.nowMs, readAtMs: sentAt.nowMs, sawGoodbyeArrive: false };
  if (isDeepStrictEqual(watch.reading, reading)) return { ...watch, readAtMs: sentAt.nowMs };
  const before = watch.reading.lease;
  const sawGoodbyeArrive = reading.lease?.goodbye === true && before?.term === reading.lease.term && !before.goodbye;
  return { reading, sinceMs: time.nowMs, readAtMs: sentAt.nowMs, sawGoodbyeArrive };
}

/** The watch while its last reading is recent enough to decide by it. */
export function freshWatch({ watch, readProblem, settings }: Member, { nowMs }: MemberTime): LeaseWatch | undefined {
  if (watch === undefined || readProblem !== "") return undefined;
  return nowMs - watch.readAtMs <= pairTiming(settings.leaseMs).readGapMs ? watch : undefined;
}

/** Time until the lease counts as given up, because it was unchanged for its length and the margin, ms. */
export function unchangedInMs(
  { settings }: Member,
  { sinceMs }: Pick<LeaseWatch, "sinceMs">,
  { nowMs }: MemberTime,
): number {
  const { leaseMs, marginMs } = pairTiming(settings.leaseMs);
  return Math.max(0, sinceMs + leaseMs + marginMs - nowMs);
}
