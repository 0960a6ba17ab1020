import type { Clock } from "../model/clock.ts";

/** Longest delay that a Node.js timer supports, ms; a longer one would fire at once. */
const maxTimerMs = 2 ** 31 - 1;

/** The system's wall clock and monotonic clock. The only place that reads them or sets timers. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, wake) {
    const dueMs = performance.now() + Math.max(0, ms);
    let timer: NodeJS.Timeout;
    arm();
    return () => clearTimeout(timer);

    function arm(): void {
      // Rounded up: Node.js truncates fractions, and a timer that fires early would have to be set again.
      const leftMs = Math.ceil(dueMs - performance.now());
      timer = setTimeout(onTimer, Math.min(Math.max(0, leftMs), maxTimerMs));
    }
    function onTimer(): void {
      if (performance.now() >= dueMs) wake();
      else arm();
    }
  },
};

/** Calls an action at an interval for as long as anything else keeps this thread alive. */
export function repeatWhileAlive(intervalMs: number, action: () => void): void {
  setInterval(action, intervalMs).unref();
}
