import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import type { ScheduledPlan } from "./check-times.ts";
import { Scheduler } from "./scheduler.ts";

/** Definition with only the fields that the scheduler reads. */
export const plan = (
  name: string,
  checkIntervalMs = 60_000,
  retryIntervalMs = 15_000,
  checkPeriod = "",
): ScheduledPlan =>
  ({
    ref: name,
    schedule: { checkIntervalMs, retryIntervalMs, timeoutMs: 10_000, maxAttempts: 3, checkPeriod },
  }) as ScheduledPlan;

/** A scheduler on a manual clock whose checks end on demand. `starts` contains object and time of each start. */
export function openTestScheduler(
  options: {
    maxConcurrent?: number;
    open?: (atMs: number) => boolean;
    opensAt?: number;
    closesAt?: number;
    active?: () => boolean;
    queueNameOf?: (plan: ScheduledPlan) => string;
  } = {},
) {
  const clock = manualClock(1_000_000);
  const starts: [string, number][] = [];
  const postponed: [string, number | undefined][] = [];
  const scheduler = new Scheduler({
    clock,
    calendar: () => ({
      isOpen: (_, atMs) => options.open?.(atMs) ?? true,
      nextOpen: () => options.opensAt,
      nextClose: () => options.closesAt,
    }),
    maxConcurrent: options.maxConcurrent ?? 10,
    isActive: () => options.active?.() ?? true,
    ...(options.queueNameOf === undefined ? {} : { queueNameOf: options.queueNameOf }),
    start: ({ ref }) => void starts.push([ref, clock.monotonic()]),
    postponed: (ref, at) => void postponed.push([ref, at]),
  });
  return { clock, starts, postponed, scheduler };
}
