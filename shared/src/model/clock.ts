/** Source of time and timers. Code that needs the time gets a clock as an argument. */
export interface Clock {
  /** Unix time in ms. May jump with the wall clock. */
  now(): number;
  /** Time since an arbitrary start, ms; never goes back. Timers run on this clock. */
  monotonic(): number;
  /** Calls `wake` once after `ms` (at least 0, any length) on the monotonic clock. Returns a function to cancel it. */
  after(ms: number, wake: () => void): () => void;
}

/** Calls `run` each time that `everyMs` have passed, until the returned function is called. */
export function repeat(clock: Clock, everyMs: number, run: () => void): () => void {
  let cancel = clock.after(everyMs, again);
  function again(): void {
    cancel = clock.after(everyMs, again);
    run();
  }
  return () => cancel();
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

/** Runs `work` with a signal that aborts after `ms`, and when `signal` does. Settles as `work` does. */
export function withDeadline<T>(
  { clock, ms, signal }: { readonly clock: Pick<Clock, "after">; readonly ms: number; readonly signal: AbortSignal },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const cancel = clock.after(ms, () => late.abort());
  return work(AbortSignal.any([signal, late.signal])).finally(cancel);
}

/** Waits until `promise` settles, but at most `ms`. Rejects as it does. */
export async function waitAtMost(clock: Clock, ms: number, promise: Promise<unknown>): Promise<void> {
  const done = new AbortController();
  await Promise.race([promise, sleep(clock, ms, done.signal)]).finally(() => done.abort());
}
