/** Time as a capability: whoever waits or stamps is handed one. */
export interface Clock {
  /** Unix time in ms. May jump with the wall clock. */
  now(): number;
  /** ms from an arbitrary start; never goes back. What is due is due on this clock. */
  monotonic(): number;
  /** Calls `wake` once after `ms` (any length, at least 0) on the monotonic clock. Returns what cancels it. */
  after(ms: number, wake: () => void): () => void;
}

/** Resolves after `ms`, or at once when `signal` aborts. Never rejects. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const cancel = clock.after(ms, done);
    function done(): void {
      cancel();
      signal?.removeEventListener("abort", done);
      resolve();
    }
    signal?.addEventListener("abort", done, { once: true });
  });
}
