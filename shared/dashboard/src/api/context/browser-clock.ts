/** Clock and timer that components receive, so that tests can replace them. */
export interface BrowserClock {
  /** Unix time in ms, of this browser. */
  now(): number;
  /** Calls `tick` every `periodMs` until the returned function is called. */
  every(periodMs: number, tick: () => void): () => void;
}

/** The real clock. No other file of the dashboard reads the wall clock or starts a timer. */
export const browserClock: BrowserClock = {
  now: () => Date.now(),
  every(periodMs, tick) {
    const timer = setInterval(tick, periodMs);
    return () => clearInterval(timer);
  },
};
