/** Time as a capability, so that whatever ages on the page can be tested. */
export interface BrowserClock {
  /** Unix time in ms, of this browser. */
  now(): number;
  /** Calls `tick` every `periodMs` until the returned function is called. */
  every(periodMs: number, tick: () => void): () => void;
}

/** The only place of the dashboard that reads the wall clock or starts a timer. */
export const browserClock: BrowserClock = {
  now: () => Date.now(),
  every(periodMs, tick) {
    const timer = setInterval(tick, periodMs);
    return () => clearInterval(timer);
  },
};
