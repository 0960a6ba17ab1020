import type { Clock } from "./clock.ts";

export type ManualClock = Clock & {
  advance(ms: number): void;
  jumpWall(ms: number): void;
  /** How long until somebody wakes, ms; Infinity where nobody sleeps. */
  nextInMs(): number;
};

/** A clock for tests that moves only when told. `advance` wakes whoever has come due, in due order. */
export function manualClock(startMs = 0): ManualClock {
  let wallMs = startMs;
  let monotonicMs = 0;
  const sleepers = new Set<{ dueMs: number; wake: () => void }>();
  return {
    now: () => wallMs,
    monotonic: () => monotonicMs,
    after(ms, wake) {
      const sleeper = { dueMs: monotonicMs + Math.max(0, ms), wake };
      sleepers.add(sleeper);
      return () => void sleepers.delete(sleeper);
    },
    advance(ms) {
      const untilMs = monotonicMs + ms;
      for (;;) {
        const next = [...sleepers].filter((s) => s.dueMs <= untilMs).sort((a, b) => a.dueMs - b.dueMs)[0];
        if (next === undefined) break;
        wallMs += next.dueMs - monotonicMs;
        monotonicMs = next.dueMs;
        sleepers.delete(next);
        next.wake();
      }
      wallMs += untilMs - monotonicMs;
      monotonicMs = untilMs;
    },
    nextInMs() {
      let dueMs = Number.POSITIVE_INFINITY;
      for (const sleeper of sleepers) dueMs = Math.min(dueMs, sleeper.dueMs);
      return dueMs - monotonicMs;
    },
    jumpWall(ms) {
      wallMs += ms;
    },
  };
}
