import type { Clock } from "../model/clock.ts";

/** The longest wait that one timer of Node.js holds, ms; a longer one would fire at once. */
const longestTimerMs = 2 ** 31 - 1;

/** The machine's clocks. The only place that reads them and the only one that sets a timer. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, wake) {
    const dueMs = performance.now() + Math.max(0, ms);
    let timer: NodeJS.Timeout;
    arm();
    return () => clearTimeout(timer);

    function arm(): void {
      // Rounded up: Node.js cuts fractions off, and a timer that wakes early would be set a second time.
      const leftMs = Math.ceil(dueMs - performance.now());
      timer = setTimeout(ring, Math.min(Math.max(0, leftMs), longestTimerMs));
    }
    function ring(): void {
      if (performance.now() >= dueMs) wake();
      else arm();
    }
  },
};
