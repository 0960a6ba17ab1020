import type { Clock } from "./clock.ts";

export type ManualClock = Clock & {
  advance(ms: number): void;
  jumpWall(ms: number): void;
  /** Time until the next timer, ms; Infinity when there is none. */
  nextInMs(): number;
};

/** A clock for tests. It moves only by `advance`, which runs the timers that become due in the order of their times. */
export function manualClock(startMs = 0): ManualClock {
  let wallMs = startMs;
  let monotonicMs = 0;
  const timers = new Set<{ dueMs: number; wake: () => void }>();
  return {
    now: () => wallMs,
    monotonic: () => monotonicMs,
    after(ms, wake) {
      const timer = { dueMs: monotonicMs + Math.max(0, ms), wake };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    advance(ms) {
      const untilMs = monotonicMs + ms;
      for (;;) {
        const next = [...timers].filter((s) => s.dueMs <= untilMs).sort((a, b) => a.dueMs - b.dueMs)[0];
        if (next === undefined) break;
        wallMs += next.dueMs - monotonicMs;
        monotonicMs = next.dueMs;
        timers.delete(next);
        next.wake();
      }
      wallMs += untilMs - monotonicMs;
      monotonicMs = untilMs;
    },
    nextInMs() {
      let dueMs = Number.POSITIVE_INFINITY;
      for (const timer of timers) dueMs = Math.min(dueMs, timer.dueMs);
      return dueMs - monotonicMs;
    },
    jumpWall(ms) {
      wallMs += ms;
    },
  };
}
